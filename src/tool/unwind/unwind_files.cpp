#include "tool/unwind/unwind_files.h"

#include <cstdlib>
#include <set>
#include <tuple>

#include "arch/machine.h"
#include "base/open_regular.h"
#include "base/text.h"
#include "proc/mapped_file.h"
#include "proc/maps.h"

namespace wick {

namespace {

// A process may map 65,000 files. Those that matter come first: the program, its libraries.
constexpr std::size_t kMaxEarlyFiles = 1024;

}  // namespace

std::vector<Fd> mapped_files(std::span<const u32> pids) {
  std::vector<Fd> files;
  std::set<std::tuple<u32, u32, u64>> seen;
  for (const u32 pid : pids) {
    const auto maps = read_maps(pid, MapsWanted::executable);
    if (!maps) continue;
    for (const ProcMapping& mapping : maps->mappings) {
      if (files.size() == kMaxEarlyFiles) return files;
      if (!mapping.of_file() ||
          !seen.emplace(mapping.dev_major, mapping.dev_minor, mapping.inode).second)
        continue;
      if (auto file = open_mapped_file(pid, mapping)) files.push_back(std::move(file->fd));
    }
  }
  return files;
}

std::vector<Fd> command_files(const std::string& command) {
  std::vector<Fd> files;
  const auto add = [&](const std::string& path) {
    auto fd = open_regular({}, path);
    if (fd) files.push_back(std::move(*fd));
  };
  if (command.contains('/')) {
    add(command);
  } else if (const char* path = std::getenv("PATH")) {
    for (const std::string_view folder : split(path, ':')) {
      add(std::string(folder) + "/" + command);
      if (!files.empty()) break;
    }
  }
  for (const char* usual : usual_files()) add(usual);
  return files;
}

}  // namespace wick
