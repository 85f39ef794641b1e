#include "proc/process.h"

#include <dirent.h>
#include <linux/capability.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/capabilities.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

std::string proc_path(u32 pid, std::string_view file) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(file);
}

// What people read when a PID is wrong: not "open /proc/17/stat: No such file or directory".
Result<std::string> read_proc(u32 pid, std::string_view file) {
  auto text = read_file(proc_path(pid, file));
  if (text) return text;
  const int code = text.error().code;
  if (code == ENOENT || code == ESRCH) {
    return std::unexpected(
        Error{.message = "no process with PID " + std::to_string(pid), .code = ESRCH, .hint = {}});
  }
  return text;
}

u64 ticks_per_second() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? static_cast<u64>(ticks) : 100;
}

// The numbers of a folder such as /proc or /proc/PID/task, ascending.
Result<std::vector<u32>> numbered_entries(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  if (!directory) return fail_errno("open " + path);
  std::vector<u32> numbers;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (const auto number = parse_number<u32>(static_cast<const char*>(entry->d_name))) {
      numbers.push_back(*number);
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

// /proc/PID/task/TID/children needs CONFIG_PROC_CHILDREN; asking every process needs nothing.
Result<std::vector<u32>> children_by_scan(u32 pid) {
  std::vector<u32> children;
  for (const u32 other : TRY(all_processes())) {
    const auto stat = read_stat(other);
    if (stat && stat->parent_pid == pid) children.push_back(other);
  }
  return children;
}

void append_numbers(std::string_view text, std::vector<u32>& out) {
  for (const std::string_view word : split(trim(text), ' ')) {
    if (const auto number = parse_number<u32>(word)) out.push_back(*number);
  }
}

// Takes the next word of a tab-separated list off the front.
std::optional<u32> take_number(std::string_view& rest) {
  rest = trim(rest);
  return parse_number<u32>(take_until(rest, '\t'));
}

}  // namespace

Result<std::string> read_process_file(u32 pid, std::string_view file, std::size_t limit) {
  const RaisedCapability any_owner{CAP_DAC_READ_SEARCH};
  return read_file(proc_path(pid, file), limit);
}

std::optional<ProcessStat> parse_stat(std::string_view text) {
  // 17 (a) b (c) S 1 …: comm is whatever stands between the first and the *last* parenthesis.
  const std::size_t open = text.find(" (");
  const std::size_t close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) {
    return std::nullopt;
  }
  const auto pid = parse_number<u32>(text.substr(0, open));
  constexpr std::size_t kStateField = 3;
  constexpr std::size_t kParentField = 4;
  constexpr std::size_t kStartField = 22;
  const std::vector<std::string_view> fields = split(trim(text.substr(close + 2)), ' ');
  if (!pid || fields.size() <= kStartField - kStateField || fields[0].size() != 1) {
    return std::nullopt;
  }
  const auto parent = parse_number<u32>(fields[kParentField - kStateField]);
  const auto start = parse_number<u64>(fields[kStartField - kStateField]);
  if (!parent || !start) return std::nullopt;
  return ProcessStat{.pid = *pid,
                     .comm = std::string(text.substr(open + 2, close - open - 2)),
                     .state = fields[0][0],
                     .parent_pid = *parent,
                     .start_ticks = *start};
}

Result<ProcessStat> read_stat(u32 pid) {
  const std::string text = TRY(read_proc(pid, "stat"));
  auto stat = parse_stat(text);
  if (!stat) return fail(proc_path(pid, "stat") + ": not understood");
  return *std::move(stat);
}

Result<ProcessStat> read_thread_stat(u32 tid) {
  const std::string path = proc_path(tid, "task/" + std::to_string(tid) + "/stat");
  auto stat = parse_stat(TRY(read_file(path)));
  if (!stat) return fail(path + ": not understood");
  return *std::move(stat);
}

u64 start_ticks_of(u64 start_boottime_ns) {
  return start_boottime_ns / (kNanosPerSecond / ticks_per_second());
}

u64 start_boottime_ns_of(u64 start_ticks) {
  return start_ticks * (kNanosPerSecond / ticks_per_second());
}

std::optional<ProcessStatus> parse_status(std::string_view text) {
  ProcessStatus status;
  bool has_tgid = false;
  while (!text.empty()) {
    std::string_view value = take_until(text, '\n');
    const std::string_view key = take_until(value, ':');
    if (key == "Tgid") {
      const auto tgid = take_number(value);
      has_tgid = tgid.has_value();
      status.tgid = tgid.value_or(0);
    } else if (key == "Uid") {
      status.uid = take_number(value).value_or(0);
      status.effective_uid = take_number(value).value_or(status.uid);
      (void)take_number(value);  // the saved one
      status.file_system_uid = take_number(value).value_or(status.effective_uid);
    } else if (key == "Gid") {
      status.effective_gid = take_number(value).value_or(0);  // the real one comes first
      status.effective_gid = take_number(value).value_or(status.effective_gid);
      (void)take_number(value);
      status.file_system_gid = take_number(value).value_or(status.effective_gid);
    } else if (key == "Groups") {
      append_numbers(value, status.groups);
    } else if (key == "NSpid") {
      while (const auto pid = take_number(value)) status.ns_pids.push_back(*pid);
    }
  }
  if (!has_tgid) return std::nullopt;
  return status;
}

Result<ProcessStatus> read_status(u32 pid) {
  const std::string text = TRY(read_proc(pid, "status"));
  auto status = parse_status(text);
  if (!status) return fail(proc_path(pid, "status") + ": not understood");
  return *std::move(status);
}

Result<u32> tgid_of(u32 tid) {
  return TRY(read_status(tid)).tgid;
}

Result<u32> innermost_pid(u32 pid) {
  const ProcessStatus status = TRY(read_status(pid));
  // A kernel without PID namespaces has no NSpid line.
  return status.ns_pids.empty() ? pid : status.ns_pids.back();
}

Result<std::vector<u32>> threads_of(u32 pid) {
  auto threads = numbered_entries(proc_path(pid, "task"));
  if (!threads) return fail("no process with PID " + std::to_string(pid));
  return threads;
}

Result<std::vector<u32>> children_of(u32 pid) {
  std::vector<u32> children;
  for (const u32 tid : TRY(threads_of(pid))) {
    const auto text = read_file(proc_path(pid, "task/" + std::to_string(tid) + "/children"));
    if (!text && tid == pid) return children_by_scan(pid);
    if (text) append_numbers(*text, children);
  }
  std::ranges::sort(children);
  return children;
}

Result<std::vector<u32>> all_processes() {
  return numbered_entries("/proc");
}

bool is_alive(u32 pid) {
  const auto stat = read_stat(pid);
  return stat && stat->state != 'Z' && stat->state != 'X';
}

}  // namespace wick
