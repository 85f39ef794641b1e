// Jitdump: reads jit-PID.dump, perf's binary format of what a JIT wrote where and when (V8's
// --perf-prof, the JVM's libperf-jvmti, LLVM, wasmtime). One thread.
//
//   header │ load "f" at A, 1 s │ load "g" at B, 2 s │ move "f" from A to C, 3 s │ …
//
//   Jitdump dump;
//   TRY(dump.read_more(TRY(ByteSource::from_file(std::move(fd)))));
//   dump.names().resolve(moments);                  // what was there at the moment
//
// Code bytes, line tables and unwinding information are passed over. The file grows: what was read
// is not read again, and a record not yet whole waits.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/byte_reader.h"
#include "base/ids.h"
#include "base/result.h"
#include "object/byte_source.h"
#include "symbols/code_names.h"

namespace wick {

class Jitdump {
 public:
  // Reads from where the last call ended. Fails at what is no jitdump of this machine and at a
  // record that cannot be; what stands before it is kept.
  [[nodiscard]] Status read_more(const ByteSource& bytes);

  [[nodiscard]] const CodeNames& names() const { return names_; }

 private:
  [[nodiscard]] Status read_header(const ByteSource& bytes);
  [[nodiscard]] std::span<const std::byte> look_at(const ByteSource& bytes, u64 offset);
  void load(ByteReader record, u64 time_ns);
  void move(ByteReader record, u64 time_ns);

  CodeNames names_;
  std::unordered_map<u64, u64> by_index_;  // code_index -> number in names_
  u64 offset_ = 0;
  u64 records_ = 0;
  bool other_clock_ = false;      // stamps are the CPU's counter: only their order says something
  std::vector<std::byte> block_;  // of the file, from block_start_ on
  u64 block_start_ = 0;
};

// "/srv/jit-123.dump": what a JIT calls the file; it maps it executable so that profilers notice.
[[nodiscard]] bool is_jitdump_path(std::string_view path);

}  // namespace wick
