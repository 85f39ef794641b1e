#include "tool/lock/probe_targets.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "arch/machine.h"
#include "base/open_regular.h"
#include "base/text.h"
#include "proc/mapped_file.h"
#include "proc/maps.h"
#include "symbols/function_finder.h"

namespace wick {
namespace {

constexpr std::size_t kMaxFiles = 4096;
// Bytes of a function that are looked at to find the probe's place.
constexpr u64 kMaxFunctionBytes = 16'384;
// Names nobody else has: in the library, and in a program it is linked into.
constexpr std::array<const char*, 2> kGlibcMarks{"gnu_get_libc_version",
                                                 "__pthread_mutex_unlock_usercnt"};

u64 place_in(const ElfFile& elf, const FoundFunction& function, u64 offset, Arguments arguments) {
  std::vector<std::byte> code(std::min(function.size, kMaxFunctionBytes));
  code.resize(elf.bytes().read_some(offset, code));
  return offset + probe_point(code, arguments);
}

struct WantedFunction {
  std::string name;
  Arguments arguments;
};

std::vector<WantedFunction> wanted_of(std::span<const FunctionProbe> probes) {
  std::vector<WantedFunction> out;
  for (const FunctionProbe& probe : probes)
    for (const std::string& name : probe.functions) out.push_back({name, probe.arguments});
  return out;
}

Result<ProbedFile> look_into(Fd fd, std::string path, std::span<const WantedFunction> wanted) {
  ProbedFile file{.path = std::move(path), .attach_path = {}, .fd = {}, .targets = {}};
  const int copy = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return fail_errno("copy a descriptor");
  file.fd = Fd{copy};
  file.attach_path = fmt::format("/proc/self/fd/{}", copy);
  const auto elf = std::make_shared<const ElfFile>(TRY(ElfFile::open(std::move(fd))));
  if (!is_this_machine(elf->machine())) return file;

  std::vector<std::string> names;
  for (const WantedFunction& function : wanted) names.push_back(function.name);
  names.insert(names.end(), kGlibcMarks.begin(), kGlibcMarks.end());
  for (const FoundFunction& found : find_functions(elf, names)) {
    if (found.name >= wanted.size()) {
      file.is_glibc = true;
      continue;
    }
    const auto offset = elf->vaddr_to_file_offset(found.vaddr);
    if (!offset) continue;
    const WantedFunction& function = wanted[found.name];
    file.targets.push_back({function.name, place_in(*elf, found, *offset, function.arguments)});
  }
  return file;
}

}  // namespace

std::vector<u64> ProbedFile::places(const std::vector<std::string>& functions) const {
  std::set<u64> out;
  for (const ProbeTarget& target : targets)
    if (std::ranges::find(functions, target.function) != functions.end()) out.insert(target.offset);
  return {out.begin(), out.end()};
}

Result<std::vector<ProbedFile>> find_probe_targets(u32 pid, std::span<const FunctionProbe> probes,
                                                   const std::optional<std::string>& binary) {
  const std::vector<WantedFunction> wanted = wanted_of(probes);
  std::vector<ProbedFile> out;
  if (binary) {
    auto fd = open_regular("", *binary);
    if (!fd) return fail_usage(fd.error().text());
    out.push_back(TRY_CTX(look_into(std::move(*fd), *binary, wanted), *binary));
  } else {
    std::set<std::pair<u64, std::string>> seen;
    for (const ProcMapping& mapping : TRY(read_maps(pid, MapsWanted::executable)).mappings) {
      if (!mapping.of_file() || !seen.emplace(mapping.inode, mapping.path).second) continue;
      if (seen.size() > kMaxFiles) break;
      auto opened = open_mapped_file(pid, mapping);
      if (!opened) continue;
      // What is no ELF file has no functions.
      if (auto file = look_into(std::move(opened->fd), mapping.path, wanted))
        out.push_back(std::move(*file));
    }
  }
  std::erase_if(out, [](const ProbedFile& file) { return file.targets.empty(); });
  return out;
}

std::vector<bpf_program*> programs_of(std::span<const FunctionProbe> probes) {
  std::vector<bpf_program*> out;
  for (const FunctionProbe& probe : probes)
    if (std::ranges::find(out, probe.program) == out.end()) out.push_back(probe.program);
  return out;
}

void add_probes(BpfObject& object, std::span<const ProbedFile> files,
                std::span<const FunctionProbe> probes, u32 pid) {
  for (const bpf_program* program : programs_of(probes))
    for (const ProbedFile& file : files) {
      ProbeSpec spec{.program = bpf_program__name(program),
                     .kind = ProbeKind::uprobe,
                     .target = file.attach_path,
                     .places = {},
                     .pid = pid};
      for (const FunctionProbe& probe : probes) {
        if (probe.program != program) continue;
        if (probe.at_return) spec.kind = ProbeKind::uretprobe;
        for (const u64 offset : file.places(probe.functions))
          spec.places.push_back({.address = offset, .cookie = probe.cookie});
      }
      object.add_probe(std::move(spec));
    }
}

Status attach_probes(const BpfObject& object, std::span<const FunctionProbe> probes,
                     Attachments& into) {
  for (const bpf_program* program : programs_of(probes)) TRY(object.attach(program, into));
  return {};
}

}  // namespace wick
