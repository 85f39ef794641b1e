// PythonWatch: the Python interpreters of the processes that are sampled. Tells BPF where they are
// (bpf/lib/python.bpf.h), and turns the code objects in stacks into functions while their process
// still lives. One thread.
//
//   entry.python = watch.acquire(file, bias, true);              // when a process maps one
//   watch.name_frames(image, pid, record.python, frames);        // at every new stack, in place
//   if (PythonWatch::is_frame(word)) watch.function(word).name   // later, at leisure
//
// name_frames() leaves words of its own:   63 │ function: 39 bits │ line: 24 bits
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/python.h"
#include "process/image_id.h"
#include "symbols/python_code.h"
#include "symbols/python_layout.h"

namespace wick {

struct PythonFunction {
  std::string name;  // qualified: "Shop.sell"; what has no name of its own goes with its file's
  std::string file;
  u32 first_line = 0;
  bool operator==(const PythonFunction&) const = default;
};

class PythonWatch {
 public:
  // Puts an entry into the BPF array python_runtimes; false when that failed.
  using Install = std::function<bool(u32 number, const wick_python_runtime& runtime)>;

  explicit PythonWatch(Install install);

  // A number for what a process has at `bias` bytes from the file's own addresses; 0 when there is
  // no room or the version is not known. Equal ones are shared; each goes back by release().
  [[nodiscard]] u32 acquire(const std::shared_ptr<const PythonFile>& file, u64 bias,
                            bool has_glibc);
  void release(u32 number);

  [[nodiscard]] static bool is_frame(u64 word) { return (word & WICK_PYTHON_FRAME) != 0; }
  // Finds out what the code objects in a stack are, in the memory of process `pid`.
  void name_frames(ImageId image, u32 pid, u32 number, std::span<u64> frames);
  [[nodiscard]] const PythonFunction& function(u64 word) const;
  [[nodiscard]] static u32 line(u64 word) { return static_cast<u32>(word & kLineMask); }

  // Code objects that were gone, or their process, before they could be read.
  [[nodiscard]] u64 gone() const { return gone_; }
  // Frames of processes whose names and line tables are more than is read of one.
  [[nodiscard]] u64 refused() const { return refused_; }
  // "3.14": an interpreter that was met and is not known; empty: none was.
  [[nodiscard]] const std::string& unknown_version() const { return unknown_version_; }

 private:
  static constexpr unsigned kLineBits = 24;
  static constexpr u64 kLineMask = (u64{1} << kLineBits) - 1;

  struct Runtime {
    std::shared_ptr<const PythonFile> file;
    u64 bias = 0;
    u32 users = 0;
    u64 usable_ns = 0;  // for others, when nobody uses it
  };
  struct CodeKey {
    ImageId image;
    u64 address = 0;
    bool operator==(const CodeKey&) const = default;
  };
  struct CodeHash {
    std::size_t operator()(const CodeKey& key) const noexcept {
      return (key.address ^ u64{key.image.value()} << 48) * 0x9E3779B97F4A7C15;
    }
  };
  // Code objects come and go: another one may be at the same address later.
  struct KnownCode {
    PythonCode code;
    u32 function = 0;
    bool has_lines = false;
    std::vector<PythonLine> lines;
  };

  [[nodiscard]] u32 free_number();
  [[nodiscard]] u64 name_frame(ImageId image, const Runtime& runtime, u64 word,
                               const PythonCode& code, const ReadMemory& read);
  [[nodiscard]] u32 function_number(ImageId image, const Runtime& runtime, const PythonCode& code,
                                    const ReadMemory& read);
  void read_lines(ImageId image, const Runtime& runtime, KnownCode& known, const ReadMemory& read);
  // False: this process had enough.
  [[nodiscard]] bool pay(ImageId image, u64 bytes);

  Install install_;
  std::vector<Runtime> runtimes_;
  std::map<std::pair<const PythonFile*, u64>, u32> numbers_;
  std::unordered_map<CodeKey, KnownCode, CodeHash> codes_;
  std::vector<PythonFunction> functions_;  // number 0: gone
  std::unordered_map<std::string, u32> function_numbers_;
  u64 gone_ = 0;
  u64 refused_ = 0;
  std::unordered_map<ImageId, u64> read_bytes_;  // of texts and tables, by whose they are
  u64 text_bytes_ = 0;                           // in functions_
  u64 line_count_ = 0;                           // in codes_
  std::string unknown_version_;
};

}  // namespace wick
