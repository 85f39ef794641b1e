// MadeUpProcesses: a ProcessSource without a kernel. Files are opened for real, from a folder of
// the test's, so that descriptors can be counted.
#pragma once

#include <fcntl.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "process/process_source.h"

namespace wick {

class MadeUpProcesses : public ProcessSource {
 public:
  void drain(std::vector<MappingEvent>& out) override {
    out.insert(out.end(), events.begin(), events.end());
    events.clear();
  }
  [[nodiscard]] Result<ProcessMaps> maps(u32 pid) override {
    reads++;
    const auto found = proc.find(pid);
    if (found == proc.end()) return fail("gone");
    return ProcessMaps{.mappings = found->second};
  }
  [[nodiscard]] Result<MappedFile> open(u32 pid, const ProcMapping& mapping) override {
    opens++;
    if (!openable) return fail("gone");
    return MappedFile{.fd = Fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)},
                      .path = mapping.path,
                      .root = ProcessRoot{"/proc/" + std::to_string(pid) + "/root"}};
  }
  [[nodiscard]] u64 now_ns() const override { return now; }

  void fork(u32 pid, u32 parent) {
    events.push_back({.kind = MappingEvent::Kind::fork,
                      .time_ns = ++now,
                      .pid = pid,
                      .parent = parent,
                      .path = {}});
  }
  void exec(u32 pid) {
    events.push_back({.kind = MappingEvent::Kind::exec, .time_ns = ++now, .pid = pid, .path = {}});
  }
  void exit(u32 pid) {
    events.push_back({.kind = MappingEvent::Kind::exit, .time_ns = ++now, .pid = pid, .path = {}});
  }
  void map(u32 pid, u64 start, std::string path, u64 inode) {
    events.push_back({.kind = MappingEvent::Kind::map,
                      .time_ns = ++now,
                      .pid = pid,
                      .start = start,
                      .end = start + 0x1000,
                      .inode = inode,
                      .path = std::move(path)});
  }

  std::vector<MappingEvent> events;
  std::unordered_map<u32, std::vector<ProcMapping>> proc;
  bool openable = true;
  u64 reads = 0;
  u64 opens = 0;
  u64 now = 1000;
};

}  // namespace wick
