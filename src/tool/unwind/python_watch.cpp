#include "tool/unwind/python_watch.h"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>

#include "base/clock.h"
#include "tool/unwind/unwind_memory.h"

namespace wick {
namespace {

// Code objects that are remembered, of all processes. A large program has some ten thousand.
constexpr std::size_t kMaxCodes = std::size_t{1} << 18;
// Texts of all functions: some ten thousand in a large program, of 100 bytes each.
constexpr u64 kMaxTextBytes = u64{32} << 20;
constexpr u64 kMaxLines = u64{2} << 20;  // of 8 bytes
// Of one process, which may make names and tables without end.
constexpr u64 kMaxBytesOfImage = u64{16} << 20;
constexpr std::string_view kGone = "[python code gone]";

wick_python_runtime to_abi(const PythonLayout& layout, u64 address, bool has_glibc) {
  const auto small = [](u32 offset) { return static_cast<u8>(offset); };
  return {.address = address,
          .thread_key = has_glibc ? layout.thread_key : 0,
          .current_thread = layout.current_thread,
          .interpreters = layout.interpreters,
          .next_interpreter = layout.next_interpreter,
          .threads = layout.threads,
          .next_thread = layout.next_thread,
          .thread_id = layout.thread_id,
          .thread_frame = layout.thread_frame,
          .cframe_frame = layout.cframe_frame,
          .cframe_previous = layout.cframe_previous,
          .code_start = layout.code_start,
          .has_cframe = layout.has_cframe,
          .has_shims = layout.has_shims,
          .code = small(layout.code),
          .previous = small(layout.previous),
          .instruction = small(layout.instruction),
          .boundary = small(layout.boundary),
          .boundary_from = layout.boundary_from,
          .pad = {}};
}

u64 code_address(u64 word) {
  return (word & ~WICK_PYTHON_FRAME) >> WICK_PYTHON_INSTRUCTION_BITS
                                            << WICK_PYTHON_CODE_ALIGNMENT_BITS;
}

u32 instruction_of(u64 word) {
  return static_cast<u32>(word & ((u64{1} << WICK_PYTHON_INSTRUCTION_BITS) - 1));
}

iovec at(u64 address, std::size_t size) {
  return {.iov_base = reinterpret_cast<void*>(address), .iov_len = size};  // NOLINT: not ours
}

bool read_process(u32 pid, u64 address, std::span<std::byte> out) {
  if (out.empty()) return true;
  const iovec here{.iov_base = out.data(), .iov_len = out.size()};
  const iovec there = at(address, out.size());
  return ::process_vm_readv(static_cast<pid_t>(pid), &here, 1, &there, 1, 0) ==
         static_cast<ssize_t>(out.size());
}

// `size` bytes from each address, one system call for all of them unless one cannot be read.
std::vector<bool> read_process(u32 pid, std::span<const u64> addresses, std::size_t size,
                               std::span<std::byte> out) {
  std::vector<bool> done(addresses.size());
  std::vector<iovec> there;
  for (const u64 address : addresses) there.push_back(at(address, size));
  for (std::size_t i = 0; i < there.size(); i++) {
    const iovec here{.iov_base = &out[i * size], .iov_len = (there.size() - i) * size};
    const ssize_t got =
        ::process_vm_readv(static_cast<pid_t>(pid), &here, 1, &there[i], there.size() - i, 0);
    if (got < 0 && errno != EFAULT) return done;  // the process is gone, or not for us
    const std::size_t whole = got < 0 ? 0 : static_cast<std::size_t>(got) / size;
    std::fill_n(done.begin() + static_cast<std::ptrdiff_t>(i), whole, true);
    i += whole;
  }
  return done;
}

// "<module>" and "<lambda>" are in every file.
std::string shown_name(const std::string& name, const std::string& file) {
  if (!name.starts_with('<')) return name;
  return name + " " + file.substr(file.rfind('/') + 1);
}

}  // namespace

PythonWatch::PythonWatch(Install install) : install_(std::move(install)), runtimes_(1) {
  functions_.push_back({.name = std::string(kGone), .file = {}});
}

u32 PythonWatch::acquire(const std::shared_ptr<const PythonFile>& file, u64 bias, bool has_glibc) {
  if (!file->layout) {
    // The symbol that tells it came with 3.11.
    unknown_version_ = file->version == 0 ? "before 3.11"
                                          : fmt::format("{}.{}", file->version >> 24,
                                                        (file->version >> 16) & 0xFF);
    return 0;
  }
  const auto [known, is_new] = numbers_.try_emplace({file.get(), bias});
  if (is_new) {
    known->second = free_number();
    const u32 number = known->second;
    if (number == 0 || !install_(number, to_abi(*file->layout, file->runtime + bias, has_glibc))) {
      numbers_.erase(known);
      return 0;
    }
    runtimes_[number] = {.file = file, .bias = bias};
  }
  runtimes_[known->second].users++;
  return known->second;
}

void PythonWatch::release(u32 number) {
  if (number == 0 || --runtimes_[number].users != 0) return;
  // A child may have it for a moment longer than its parent; records may be on their way.
  runtimes_[number].usable_ns = monotonic_ns() + kUnwindQuarantineNs;
}

u32 PythonWatch::free_number() {
  if (runtimes_.size() < WICK_PYTHON_RUNTIMES) {
    runtimes_.emplace_back();
    return static_cast<u32>(runtimes_.size() - 1);
  }
  const u64 now = monotonic_ns();
  for (u32 number = 1; number < runtimes_.size(); number++) {
    const Runtime& runtime = runtimes_[number];
    if (runtime.users != 0 || runtime.usable_ns > now) continue;
    numbers_.erase({runtime.file.get(), runtime.bias});
    return number;
  }
  return 0;
}

void PythonWatch::name_frames(ImageId image, u32 pid, u32 number, std::span<u64> frames) {
  std::vector<u64*> words;
  std::vector<u64> addresses;
  for (u64& frame : frames) {
    if (!is_frame(frame)) continue;
    words.push_back(&frame);
    addresses.push_back(code_address(frame));
  }
  if (words.empty()) return;
  if (number >= runtimes_.size() || !runtimes_[number].file) {
    for (u64* word : words) *word = WICK_PYTHON_FRAME;
    gone_ += words.size();
    return;
  }
  const Runtime runtime = runtimes_[number];
  const std::size_t size = python_code_bytes(*runtime.file->layout);
  std::vector<std::byte> bytes(words.size() * size);
  const std::vector<bool> read = read_process(pid, addresses, size, bytes);
  const ReadMemory memory = [pid](u64 address, std::span<std::byte> out) {
    return read_process(pid, address, out);
  };
  for (std::size_t i = 0; i < words.size(); i++) {
    std::optional<PythonCode> code;
    if (read[i])
      code = parse_python_code(*runtime.file->layout, std::span(bytes).subspan(i * size, size));
    const u64 word = *words[i];
    *words[i] = code ? name_frame(image, runtime, word, *code, memory) : WICK_PYTHON_FRAME;
    if (*words[i] == WICK_PYTHON_FRAME) gone_++;
  }
}

u64 PythonWatch::name_frame(ImageId image, const Runtime& runtime, u64 word, const PythonCode& code,
                            const ReadMemory& read) {
  const PythonFile& file = *runtime.file;
  if (file.code_type != 0 && code.type != file.code_type + runtime.bias) return WICK_PYTHON_FRAME;
  if (codes_.size() >= kMaxCodes || line_count_ >= kMaxLines) {
    codes_.clear();
    line_count_ = 0;
  }
  KnownCode& known = codes_[{image, code_address(word)}];
  if (known.function == 0 || known.code != code)
    known = {.code = code, .function = function_number(image, runtime, code, read), .lines = {}};
  if (known.function == 0) return WICK_PYTHON_FRAME;
  u32 line = 0;
  if (const u32 instruction = instruction_of(word); instruction != WICK_PYTHON_NO_INSTRUCTION) {
    if (!known.has_lines) read_lines(image, runtime, known, read);
    line = line_at(known.lines, instruction);
  }
  if (line == 0) line = functions_[known.function].first_line;
  return WICK_PYTHON_FRAME | u64{known.function} << kLineBits | std::min<u64>(line, kLineMask);
}

void PythonWatch::read_lines(ImageId image, const Runtime& runtime, KnownCode& known,
                             const ReadMemory& read) {
  const PythonFile& file = *runtime.file;
  known.has_lines = true;
  if (!pay(image, 0)) return;
  const u64 type = file.bytes_type == 0 ? 0 : file.bytes_type + runtime.bias;
  const auto table = read_python_bytes(*file.layout, known.code.lines, type, read);
  if (!table || !pay(image, table->size())) return;
  known.lines = parse_line_table(*table, known.code.first_line);
  line_count_ += known.lines.size();
}

bool PythonWatch::pay(ImageId image, u64 bytes) {
  u64& read = read_bytes_[image];
  read += bytes;
  return read <= kMaxBytesOfImage;
}

u32 PythonWatch::function_number(ImageId image, const Runtime& runtime, const PythonCode& code,
                                 const ReadMemory& read) {
  if (!pay(image, 0)) {
    refused_++;
    return 0;
  }
  const PythonFile& file = *runtime.file;
  const u64 type = file.str_type == 0 ? 0 : file.str_type + runtime.bias;
  const auto name = read_python_str(*file.layout, code.name, type, read);
  const auto path = read_python_str(*file.layout, code.file, type, read);
  if (!name || !path || name->empty()) return 0;
  std::string key = fmt::format("{}\n{}\n{}", *name, *path, code.first_line);
  if (const auto found = function_numbers_.find(key); found != function_numbers_.end())
    return found->second;
  const u64 bytes = 3 * key.size() + sizeof(PythonFunction);
  if (text_bytes_ + bytes > kMaxTextBytes || !pay(image, bytes)) {
    refused_++;
    return 0;
  }
  text_bytes_ += bytes;
  const auto number = static_cast<u32>(functions_.size());
  functions_.push_back(
      {.name = shown_name(*name, *path), .file = *path, .first_line = code.first_line});
  function_numbers_.emplace(std::move(key), number);
  return number;
}

const PythonFunction& PythonWatch::function(u64 word) const {
  const u64 number = (word & ~WICK_PYTHON_FRAME) >> kLineBits;
  return functions_[number < functions_.size() ? number : 0];
}

}  // namespace wick
