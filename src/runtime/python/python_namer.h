// PythonNamer: what the code objects in stacks are, read in the memory of their process. One
// thread.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "runtime/python/python_code.h"
#include "runtime/runtime.h"

namespace wick {

class PythonNamer : public FrameNamer {
 public:
  void name(const InterpretedProcess& process, std::span<u64* const> words,
            FunctionTable& functions) override;

 private:
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
  // What all frames of a stack have in common.
  struct Stack {
    ImageId image;
    const PythonFile& file;
    u64 bias;
    ReadMemory read;
    FunctionTable& functions;
  };

  [[nodiscard]] u64 name_frame(const Stack& stack, u64 word, const PythonCode& code);
  void read_lines(const Stack& stack, KnownCode& known);

  std::unordered_map<CodeKey, KnownCode, CodeHash> codes_;
  u64 line_count_ = 0;  // in codes_
};

}  // namespace wick
