#include "process/jit_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "proc/mapped_file.h"
#include "proc/process.h"

namespace wick {
namespace {

// A perf map may appear at any time. Looking costs a few system calls.
constexpr u64 kLookAgainNs = kNanosPerSecond;
// Each holds up to three descriptors.
constexpr std::size_t kMaxProcesses = 1024;
// Of names that are kept for the next question; the largest Java servers have 5 MB.
constexpr std::size_t kMaxNameBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxCommandLine = std::size_t{256} << 10;
constexpr std::string_view kFramePointerFlag = "-XX:+PreserveFramePointer";

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Options of a JVM stand on its command line, or in JAVA_TOOL_OPTIONS and its like.
bool says(u32 pid, std::string_view option) {
  return std::ranges::any_of(std::array{"cmdline", "environ"}, [&](const char* file) {
    const auto text = read_process_file(pid, file, kMaxCommandLine);
    return text && text->contains(option);
  });
}

bool is_same_file(const Fd& a, const Fd& b) {
  struct stat first{};
  struct stat second{};
  return ::fstat(a.get(), &first) == 0 && ::fstat(b.get(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Names what is still without one.
void fill(std::vector<JitName>& out, const CodeNames& names, std::span<const CodeMoment> wanted) {
  const auto found = names.resolve(wanted);
  for (std::size_t i = 0; i < wanted.size(); i++)
    if (out[i].name.empty() && !found[i].empty()) out[i] = readable_jit_name(found[i]);
}

// "PID 7", "PIDs 7, 8, 9 and 4 more"
std::string pids_text(std::vector<u32> pids) {
  constexpr std::size_t kShown = 3;
  std::ranges::sort(pids);
  std::string text = pids.size() == 1 ? "PID " : "PIDs ";
  text += fmt::format("{}", fmt::join(std::span(pids).first(std::min(kShown, pids.size())), ", "));
  if (pids.size() > kShown) text += fmt::format(" and {} more", pids.size() - kShown);
  return text;
}

}  // namespace

bool is_jit_memory(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kOnlyMemory{"[anon", "//anon",
                                                               "/memfd:", "/dev/zero", "[heap]"};
  return path.empty() || is_jitdump_path(path) ||
         std::ranges::any_of(kOnlyMemory, [&](auto word) { return path.starts_with(word); });
}

void JitWatch::touch(ImageId image, const Sight& sight,
                     const std::function<std::vector<ProcMapping>()>& mappings) {
  if (processes_.size() >= kMaxProcesses && !processes_.contains(image)) return;
  Process& process = processes_[image];
  if (sight.time_ns < process.next_look_ns) return;
  process.next_look_ns = sight.time_ns + kLookAgainNs;
  process.pid = sight.pid;
  if (!process.perf_map.valid() || !process.jitdump.valid()) look(process, sight, mappings());
}

void JitWatch::look(Process& process, const Sight& sight, std::span<const ProcMapping> mappings) {
  if (!process.home) {
    auto home = JitHome::open(sight.pid);
    // Somebody else may have its PID by now.
    if (!home || home->start_ticks() != start_ticks_of(sight.start_ns)) return;
    process.home = *std::move(home);
  }
  if (process.runtime == Runtime::other) {
    for (const ProcMapping& mapping : mappings) {
      if (base_name(mapping.path) == "libjvm.so") process.runtime = Runtime::java;
      if (base_name(mapping.path) == "node") process.runtime = Runtime::node;
    }
    process.keeps_frame_pointers =
        process.runtime == Runtime::java && says(sight.pid, kFramePointerFlag);
  }
  if (!process.perf_map.valid())
    if (auto map = process.home->open_perf_map()) process.perf_map = *std::move(map);
  if (!process.jitdump.valid()) find_jitdump(process, mappings);
}

void JitWatch::find_jitdump(Process& process, std::span<const ProcMapping> mappings) {
  for (const ProcMapping& mapping : mappings) {
    if (!is_jitdump_path(mapping.path)) continue;
    auto file = open_mapped_file(process.pid, mapping);
    if (!file || !process.home->check(file->fd)) continue;
    process.jitdump = std::move(file->fd);
    return;
  }
}

// The runtime may have put another file in its place.
void JitWatch::renew_perf_map(Process& process) {
  if (!process.home) return;
  auto map = process.home->open_perf_map();
  if (!map || (process.perf_map.valid() && is_same_file(process.perf_map, *map))) return;
  process.perf_map = *std::move(map);
  process.map_names.reset();
}

void JitWatch::read_jitdump(Process& process, const BudgetTerms& terms) {
  if (!process.jitdump.valid()) return;
  if (!process.dump_names) process.dump_names = std::make_unique<Jitdump>();
  Fd copy{::fcntl(process.jitdump.get(), F_DUPFD_CLOEXEC, 0)};
  auto budget = Budget::for_file(copy, terms);
  // What could be read is good, even if an end is broken.
  if (auto bytes = ByteSource::from_file(std::move(copy), budget)) {
    (void)process.dump_names->read_more(*bytes);
    if (terms.run != nullptr) terms.run->settle(*budget, bytes->name());
  }
}

void JitWatch::read_perf_map(Process& process, const BudgetTerms& terms) {
  renew_perf_map(process);
  if (!process.perf_map.valid()) return;
  if (!process.map_names) process.map_names = std::make_unique<PerfMap>();
  const auto budget = Budget::for_file(process.perf_map, terms);
  (void)process.map_names->read_more(process.perf_map, *budget);
  if (terms.run == nullptr) return;
  const std::string name = file_name_of(process.perf_map);
  terms.run->settle(*budget, name);
  if (process.map_names->cut() && budget->ok()) terms.run->refuse(name, "only its last 64 MB");
}

std::vector<JitName> JitWatch::names(ImageId image, std::span<const CodeMoment> wanted,
                                     const BudgetTerms& terms) {
  std::vector<JitName> out(wanted.size());
  const auto found = processes_.find(image);
  if (found == processes_.end()) return out;
  Process& process = found->second;
  process.was_asked = true;
  process.asked = ++asks_;
  read_jitdump(process, terms);
  if (process.dump_names) fill(out, process.dump_names->names(), wanted);
  read_perf_map(process, terms);
  if (process.map_names) fill(out, process.map_names->names(), wanted);
  process.has_names = process.has_names || std::ranges::any_of(out, [](const JitName& name) {
                        return !name.name.empty();
                      });
  shrink(process);
  return out;
}

std::size_t JitWatch::bytes_of(const Process& process) {
  return (process.map_names ? process.map_names->names().bytes() : 0) +
         (process.dump_names ? process.dump_names->names().bytes() : 0);
}

std::size_t JitWatch::bytes() const {
  std::size_t sum = 0;
  for (const auto& [image, process] : processes_) sum += bytes_of(process);
  return sum;
}

void JitWatch::shrink(const Process& latest) {
  std::size_t sum = bytes();
  while (sum > kMaxNameBytes) {
    Process* oldest = nullptr;
    for (auto& [image, process] : processes_)
      if (&process != &latest && bytes_of(process) != 0 &&
          (oldest == nullptr || process.asked < oldest->asked))
        oldest = &process;
    if (oldest == nullptr) return;
    sum -= bytes_of(*oldest);
    oldest->map_names.reset();
    oldest->dump_names.reset();
  }
}

void JitWatch::keep_only(const std::function<bool(ImageId)>& is_needed) {
  std::erase_if(processes_, [&](const auto& process) { return !is_needed(process.first); });
}

bool JitWatch::lives(const Process& process) {
  const auto stat = read_stat(process.pid);
  return process.home && stat && stat->start_ticks == process.home->start_ticks() &&
         is_alive(process.pid);
}

std::vector<Jvm> JitWatch::jvms() const {
  std::vector<Jvm> out;
  for (const auto& [image, process] : processes_)
    if (process.runtime == Runtime::java && lives(process))
      out.push_back({.pid = process.pid, .start_ticks = process.home->start_ticks()});
  std::ranges::sort(out, {}, &Jvm::pid);
  return out;
}

std::vector<std::string> JitWatch::advice(bool java_was_asked) const {
  std::vector<u32> cut;
  std::vector<u32> unnamed_java;
  std::vector<u32> unnamed_node;
  for (const auto& [image, process] : processes_) {
    if (!process.was_asked) continue;
    if (process.runtime == Runtime::java && !process.keeps_frame_pointers)
      cut.push_back(process.pid);
    if (process.has_names) continue;
    // Why one that lives gave no names when asked was said then.
    if (process.runtime == Runtime::java && !(java_was_asked && lives(process)))
      unnamed_java.push_back(process.pid);
    if (process.runtime == Runtime::node) unnamed_node.push_back(process.pid);
  }
  std::vector<std::string> out;
  const auto say = [&](const std::vector<u32>& pids, std::string_view text) {
    if (!pids.empty()) out.push_back(fmt::format("{}: {}", pids_text(pids), text));
  };
  say(unnamed_java, java_was_asked
                        ? "Java ended before it was asked for names — start it with "
                          "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"
                        : "Java methods have no names — use --java, with JDK 17 or newer");
  say(cut, "Java stacks end early — start Java with -XX:+PreserveFramePointer");
  say(unnamed_node,
      "JavaScript functions have no names — start Node with --perf-basic-prof "
      "--interpreted-frames-native-stack");
  return out;
}

}  // namespace wick
