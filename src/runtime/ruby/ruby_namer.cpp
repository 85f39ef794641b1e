#include "runtime/ruby/ruby_namer.h"

#include "bpf/abi/runtime/ruby.h"
#include "runtime/ruby/ruby_runtime.h"

namespace wick {
namespace {

// Instruction sequences and C functions that are remembered, of all processes, and their lines.
constexpr std::size_t kMaxObjects = std::size_t{1} << 18;
constexpr u64 kMaxRubyLines = u64{1} << 20;

u64 object_address(u64 word) {
  return (word & ~(WICK_RUNTIME_FRAME | WICK_RUBY_CFUNC)) >> WICK_RUBY_INSTRUCTION_BITS
                                                                 << WICK_RUBY_ADDRESS_SHIFT;
}

bool is_method(u64 word) {
  return (word & WICK_RUBY_CFUNC) != 0;
}

// "<main>" and "<top (required)>" are in every file.
std::string ruby_frame_name(const std::string& label, const std::string& file) {
  if (!label.contains("<main>") && !label.contains("<top (required)>")) return label;
  return label + " " + file.substr(file.rfind('/') + 1);
}

// The bodies of those objects that are instruction sequences, read at one time.
std::vector<std::optional<RubyCode>> read_bodies(const ProcessMemory& memory,
                                                 std::span<const u64> addresses) {
  std::vector<std::byte> bytes(addresses.size() * kRubyBodyBytes);
  const std::vector<bool> read = memory.read_each(addresses, kRubyBodyBytes, bytes);
  std::vector<std::optional<RubyCode>> out(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); i++)
    if (read[i])
      out[i] = parse_ruby_body(std::span(bytes).subspan(i * kRubyBodyBytes, kRubyBodyBytes));
  return out;
}

}  // namespace

std::unique_ptr<FrameNamer> make_ruby_namer() {
  return std::make_unique<RubyNamer>();
}

void RubyNamer::name(const InterpretedProcess& process, std::span<u64* const> words,
                     FunctionTable& functions) {
  const RubyFile& file = static_cast<const RubyRuntimeFile&>(process.file).file();
  const Stack stack{process.image, file, process.bias, process.memory.reader(), functions};
  make_room();
  std::vector<u64> addresses;
  addresses.reserve(words.size());
  for (const u64* word : words) addresses.push_back(object_address(*word));
  std::vector<std::byte> objects(words.size() * kRubyObjectBytes);
  const std::vector<bool> read = process.memory.read_each(addresses, kRubyObjectBytes, objects);
  std::vector<u64> named(words.size());
  std::vector<std::size_t> codes;
  std::vector<u64> bodies;
  for (std::size_t i = 0; i < words.size(); i++) {
    if (!read[i]) continue;
    const auto object = std::span(objects).subspan(i * kRubyObjectBytes, kRubyObjectBytes);
    if (is_method(*words[i])) {
      if (const auto method = method_definition(object))
        named[i] = name_method(stack, *words[i], *method);
    } else if (const auto body = iseq_body(object)) {
      codes.push_back(i);
      bodies.push_back(*body);
    }
  }
  const auto read_codes = read_bodies(process.memory, bodies);
  for (std::size_t i = 0; i < codes.size(); i++)
    if (read_codes[i]) named[codes[i]] = name_code(stack, *words[codes[i]], *read_codes[i]);
  for (std::size_t i = 0; i < words.size(); i++)
    *words[i] = named[i] != 0 ? named[i] : FunctionTable::gone(WICK_RUNTIME_RUBY);
}

void RubyNamer::make_room() {
  if (codes_.size() + methods_.size() < kMaxObjects && line_count_ < kMaxRubyLines) return;
  codes_.clear();
  methods_.clear();
  line_count_ = 0;
}

u64 RubyNamer::name_code(const Stack& stack, u64 word, const RubyCode& code) {
  KnownCode& known = codes_[{stack.image, object_address(word)}];
  if (known.function == 0 || known.code != code) {
    known = {.code = code, .lines = {}};
    const auto label = read_ruby_string(code.label, stack.read);
    const auto path = read_ruby_path(code.file, stack.read);
    if (!label || !path || label->empty()) return 0;
    known.function = stack.functions.number(
        WICK_RUNTIME_RUBY, stack.image,
        {.name = ruby_frame_name(*label, *path), .file = *path, .first_line = code.first_line});
  }
  if (known.function == 0) return 0;
  const auto instruction = static_cast<u32>(word & WICK_RUBY_NO_INSTRUCTION);
  u32 line = 0;
  if (instruction != WICK_RUBY_NO_INSTRUCTION) line = line_of(stack, known, instruction);
  return FunctionTable::word(known.function, line != 0 ? line : code.first_line);
}

u32 RubyNamer::line_of(const Stack& stack, KnownCode& known, u32 instruction) {
  // The frame is at the next one, unless it has not begun.
  const u32 position = instruction == 0 ? 0 : instruction - 1;
  const auto [at, is_new] = known.lines.try_emplace(position);
  if (is_new) {
    at->second = read_ruby_line(known.code, position, stack.read);
    line_count_++;
  }
  return at->second;
}

u64 RubyNamer::name_method(const Stack& stack, u64 word, u64 definition) {
  KnownMethod& known = methods_[{stack.image, object_address(word)}];
  if (known.function == 0 || known.definition != definition) {
    known = {.definition = definition};
    const u64 symbols = stack.file.symbols == 0 ? 0 : stack.file.symbols + stack.bias;
    const auto name = read_ruby_id(read_method_id(definition, stack.read), symbols, stack.read);
    if (!name || name->empty()) return 0;
    known.function = stack.functions.number(WICK_RUNTIME_RUBY, stack.image,
                                            {.name = *name, .file = {}, .first_line = 0});
  }
  return known.function == 0 ? 0 : FunctionTable::word(known.function, 0);
}

}  // namespace wick
