#include "runtime/function_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/registry.h"

namespace wick {
namespace {

// Texts of all functions: some ten thousand in a large program, of 100 bytes each.
constexpr u64 kMaxTextBytes = u64{32} << 20;
// Of one process, which may make names and tables without end.
constexpr u64 kMaxBytesOfImage = u64{16} << 20;

}  // namespace

FunctionTable::FunctionTable() : functions_(WICK_RUNTIME_SLOTS) {
  functions_[WICK_RUNTIME_NONE].name = "[code gone]";
  for (const Runtime* runtime : kRuntimes) functions_[runtime->kind].name = runtime->gone_frame;
}

bool FunctionTable::pay(ImageId image, u64 bytes) {
  u64& paid = paid_[image];
  paid += bytes;
  return paid <= kMaxBytesOfImage;
}

u32 FunctionTable::number(wick_runtime_kind kind, ImageId image, RuntimeFunction function) {
  if (!pay(image, 0)) {
    refused_[kind]++;
    return 0;
  }
  std::string key = fmt::format("{}\n{}\n{}", function.name, function.file, function.first_line);
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  const u64 bytes = 3 * key.size() + sizeof(RuntimeFunction);
  if (text_bytes_ + bytes > kMaxTextBytes || !pay(image, bytes)) {
    refused_[kind]++;
    return 0;
  }
  text_bytes_ += bytes;
  const auto number = static_cast<u32>(functions_.size());
  functions_.push_back(std::move(function));
  numbers_.emplace(std::move(key), number);
  return number;
}

u64 FunctionTable::word(u32 function, u32 line) {
  return WICK_RUNTIME_FRAME | u64{function} << kLineBits | std::min<u64>(line, kLineMask);
}

const RuntimeFunction& FunctionTable::function(u64 word) const {
  const u64 number = (word & ~WICK_RUNTIME_FRAME) >> kLineBits;
  return functions_[number < functions_.size() ? number : 0];
}

}  // namespace wick
