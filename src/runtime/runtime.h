// Runtime: what Wick must know of an interpreter to show the frames of the programs it runs in the
// place of its own. One folder per runtime implements it (src/runtime/NAME), with its BPF walker in
// bpf/runtime/NAME.bpf.h; the build makes the table of all of them from the folders
// (runtime/registry.h). Generic code goes through RuntimeWatch.
//
//   find      in a mapped file, by the confined worker                      RuntimeFile
//   attach    what the BPF walker must know of the file in this process     wick_runtime
//   name      turn the walker's words into functions and lines              FrameNamer
//   losses    what is missing, in the runtime's own words                   Runtime::losses
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/ids.h"
#include "base/wire.h"
#include "bpf/abi/runtime.h"
#include "object/elf_file.h"
#include "process/image_id.h"
#include "runtime/function_table.h"
#include "runtime/process_memory.h"

namespace wick {

struct Runtime;

// Where and in which company a process has mapped the file.
struct RuntimeProcess {
  u64 bias = 0;           // address in memory - address in the file
  bool has_glibc = true;  // musl keeps a thread's values elsewhere
};

// An interpreter in a file; most files have none. Does not change once made, and any thread may
// read it.
class RuntimeFile {
 public:
  RuntimeFile() = default;
  RuntimeFile(const RuntimeFile&) = delete;
  RuntimeFile& operator=(const RuntimeFile&) = delete;
  RuntimeFile(RuntimeFile&&) = delete;
  RuntimeFile& operator=(RuntimeFile&&) = delete;
  virtual ~RuntimeFile() = default;

  [[nodiscard]] virtual const Runtime& runtime() const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
  // Nothing: this version is not known.
  [[nodiscard]] virtual std::optional<wick_runtime> attach(const RuntimeProcess& process) const = 0;
  // What Runtime::unpack() makes an equal one of: files are read in another process (worker/).
  virtual void pack(WireWriter& out) const = 0;
};

// A process whose frames are to be named.
struct InterpretedProcess {
  ImageId image;
  const RuntimeFile& file;
  u64 bias = 0;
  ProcessMemory memory;
};

// Turns the words of the BPF walker into those of the FunctionTable. One per run and runtime, so it
// may keep what it has read.
class FrameNamer {
 public:
  FrameNamer() = default;
  FrameNamer(const FrameNamer&) = delete;
  FrameNamer& operator=(const FrameNamer&) = delete;
  FrameNamer(FrameNamer&&) = delete;
  FrameNamer& operator=(FrameNamer&&) = delete;
  virtual ~FrameNamer() = default;

  // The frames of one stack, in place. What can no longer be read becomes FunctionTable::gone().
  virtual void name(const InterpretedProcess& process, std::span<u64* const> words,
                    FunctionTable& functions) = 0;
};

// A row of the table of runtimes.
struct Runtime {
  std::string_view name;  // as its people write it
  wick_runtime_kind kind;
  std::string_view versions;     // those that are known: "3.11 to 3.13"
  std::string_view option;       // the long option that leaves it out: "no-NAME"
  std::string_view option_help;  // what that does
  std::string_view gone_frame;   // stands for a frame whose function could not be read
  // By wick_runtime_loss.
  std::array<std::string_view, WICK_RUNTIME_LOSSES> losses;
  std::string_view gone_loss;     // frames whose function could not be read
  std::string_view refused_loss;  // frames of processes with names without end
  std::shared_ptr<const RuntimeFile> (*find)(const ElfFile& elf);
  // Of bytes that nobody vouches for; nullptr, or a reader that has failed: they make no sense.
  std::shared_ptr<const RuntimeFile> (*unpack)(ByteReader& in);
  std::unique_ptr<FrameNamer> (*make_namer)();
};

}  // namespace wick
