// RubyNamer: what the instruction sequences and C functions in stacks are, read in the memory of
// their process. One thread.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "runtime/ruby/ruby_code.h"
#include "runtime/ruby/ruby_file.h"
#include "runtime/runtime.h"

namespace wick {

class RubyNamer : public FrameNamer {
 public:
  void name(const InterpretedProcess& process, std::span<u64* const> words,
            FunctionTable& functions) override;

 private:
  struct Key {
    ImageId image;
    u64 address = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      return (key.address ^ u64{key.image.value()} << 48) * 0x9E3779B97F4A7C15;
    }
  };
  // Objects come and go: another one may be at the same address later.
  struct KnownCode {
    RubyCode code;
    u32 function = 0;
    std::unordered_map<u32, u32> lines;  // by instruction
  };
  struct KnownMethod {
    u64 definition = 0;
    u32 function = 0;
  };
  // What all frames of a stack have in common.
  struct Stack {
    ImageId image;
    const RubyFile& file;
    u64 bias;
    ReadMemory read;
    FunctionTable& functions;
  };

  // Each returns 0 for what is gone.
  [[nodiscard]] u64 name_code(const Stack& stack, u64 word, const RubyCode& code);
  [[nodiscard]] u64 name_method(const Stack& stack, u64 word, u64 definition);
  [[nodiscard]] u32 line_of(const Stack& stack, KnownCode& known, u32 instruction);
  void make_room();

  std::unordered_map<Key, KnownCode, Hash> codes_;
  std::unordered_map<Key, KnownMethod, Hash> methods_;
  u64 line_count_ = 0;  // in codes_
};

}  // namespace wick
