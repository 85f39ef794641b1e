#include "runtime/python/python_namer.h"

#include "bpf/abi/runtime/python.h"
#include "runtime/python/python_file.h"
#include "runtime/python/python_runtime.h"

namespace wick {
namespace {

// Code objects that are remembered, of all processes. A large program has some ten thousand.
constexpr std::size_t kMaxCodes = std::size_t{1} << 18;
constexpr u64 kMaxLines = u64{2} << 20;  // of 8 bytes
constexpr u64 kGoneCode = 0;

u64 code_address(u64 word) {
  return (word & ~WICK_RUNTIME_FRAME) >> WICK_PYTHON_INSTRUCTION_BITS
                                             << WICK_PYTHON_CODE_ALIGNMENT_BITS;
}

u32 instruction_of(u64 word) {
  return static_cast<u32>(word & ((u64{1} << WICK_PYTHON_INSTRUCTION_BITS) - 1));
}

// Where an object's type is, if the file tells.
u64 loaded_type(u64 vaddr, u64 bias) {
  return vaddr == 0 ? 0 : vaddr + bias;
}

// "<module>" and "<lambda>" are in every file.
std::string shown_name(const std::string& name, const std::string& file) {
  if (!name.starts_with('<')) return name;
  return name + " " + file.substr(file.rfind('/') + 1);
}

// 0: what the code object leads to is no text, or too much.
u32 function_of(const PythonFile& file, u64 bias, const PythonCode& code, const ReadMemory& read,
                ImageId image, FunctionTable& functions) {
  if (!functions.pay(image, 0))  // counts as refused
    return functions.number(WICK_RUNTIME_PYTHON, image, {});
  const u64 type = loaded_type(file.str_type, bias);
  const auto name = read_python_str(*file.layout, code.name, type, read);
  const auto path = read_python_str(*file.layout, code.file, type, read);
  if (!name || !path || name->empty()) return 0;
  return functions.number(
      WICK_RUNTIME_PYTHON, image,
      {.name = shown_name(*name, *path), .file = *path, .first_line = code.first_line});
}

}  // namespace

std::unique_ptr<FrameNamer> make_python_namer() {
  return std::make_unique<PythonNamer>();
}

void PythonNamer::name(const InterpretedProcess& process, std::span<u64* const> words,
                       FunctionTable& functions) {
  const PythonFile& file = static_cast<const PythonRuntimeFile&>(process.file).file();
  const Stack stack{process.image, file, process.bias, process.memory.reader(), functions};
  std::vector<u64> addresses;
  addresses.reserve(words.size());
  for (const u64* word : words) addresses.push_back(code_address(*word));
  const std::size_t size = python_code_bytes(*file.layout);
  std::vector<std::byte> bytes(words.size() * size);
  const std::vector<bool> read = process.memory.read_each(addresses, size, bytes);
  for (std::size_t i = 0; i < words.size(); i++) {
    std::optional<PythonCode> code;
    if (read[i]) code = parse_python_code(*file.layout, std::span(bytes).subspan(i * size, size));
    const u64 named = code ? name_frame(stack, *words[i], *code) : kGoneCode;
    *words[i] = named == kGoneCode ? FunctionTable::gone(WICK_RUNTIME_PYTHON) : named;
  }
}

u64 PythonNamer::name_frame(const Stack& stack, u64 word, const PythonCode& code) {
  const PythonFile& file = stack.file;
  if (file.code_type != 0 && code.type != file.code_type + stack.bias) return kGoneCode;
  if (codes_.size() >= kMaxCodes || line_count_ >= kMaxLines) {
    codes_.clear();
    line_count_ = 0;
  }
  KnownCode& known = codes_[{stack.image, code_address(word)}];
  if (known.function == 0 || known.code != code)
    known = {
        .code = code,
        .function = function_of(file, stack.bias, code, stack.read, stack.image, stack.functions),
        .lines = {}};
  if (known.function == 0) return kGoneCode;
  u32 line = 0;
  if (const u32 instruction = instruction_of(word); instruction != WICK_PYTHON_NO_INSTRUCTION) {
    if (!known.has_lines) read_lines(stack, known);
    line = line_at(known.lines, instruction);
  }
  if (line == 0) line = stack.functions.numbered(known.function).first_line;
  return FunctionTable::word(known.function, line);
}

void PythonNamer::read_lines(const Stack& stack, KnownCode& known) {
  known.has_lines = true;
  if (!stack.functions.pay(stack.image, 0)) return;
  const auto table = read_python_bytes(*stack.file.layout, known.code.lines,
                                       loaded_type(stack.file.bytes_type, stack.bias), stack.read);
  if (!table || !stack.functions.pay(stack.image, table->size())) return;
  known.lines = parse_line_table(*table, known.code.first_line);
  line_count_ += known.lines.size();
}

}  // namespace wick
