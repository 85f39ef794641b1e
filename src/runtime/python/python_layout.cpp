#include "runtime/python/python_layout.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "arch/machine.h"
#include "bpf/abi/runtime/python.h"
#include "object/named_symbols.h"

namespace wick {
namespace {

using namespace std::literals;

constexpr PythonLayout kPython311{
    .thread_key = 592,
    .current_thread = 576,
    .interpreters = 40,
    .next_interpreter = 0,
    .threads = 16,
    .next_thread = 8,
    .thread_id = 152,
    .thread_frame = 56,
    .has_cframe = true,
    .cframe_frame = 8,
    .cframe_previous = 16,
    .code = 32,
    .previous = 48,
    .instruction = 56,
    .boundary = 68,
    .boundary_from = 1,
    .has_shims = false,
    .first_line = 72,
    .code_start = 184,
    .ascii_data = 48,
    .compact_data = 72,
};

// owner: frames of a thread, a generator and a frame object have less.
constexpr u8 kOwnedByC = 3;

constexpr PythonLayout kPython312{
    .thread_key = 1544,
    .interpreters = 40,
    .next_interpreter = 0,
    .threads = 72,
    .next_thread = 8,
    .thread_id = 136,
    .thread_frame = 56,
    .has_cframe = true,
    .cframe_frame = 0,
    .cframe_previous = 8,
    .code = 0,
    .previous = 8,
    .instruction = 56,
    .boundary = 70,
    .boundary_from = kOwnedByC,
    .has_shims = true,
    .first_line = 68,
    .code_start = 192,
};

// _Py_DebugOffsets of 3.13, all of it 8-byte words; what we do not use is counted only.
struct DebugOffsets {
  char cookie[8];
  u64 version;
  u64 free_threaded;
  u64 runtime_size, finalizing, interpreters;
  u64 interpreter_size, id, next_interpreter, threads, interpreter_rest[9];
  u64 thread_size, previous_thread, next_thread, interpreter, current_frame, thread_id;
  u64 native_thread_id, datastack_chunk, status;
  u64 frame_size, previous, executable, instruction, locals, owner;
  u64 code_size, file_name, name, qualified_name, line_table, first_line, code_rest[3], code_start;
  u64 object_size, object_type;
  u64 types_and_containers[18];
  u64 bytes_object_size, bytes_size, bytes_data;
  u64 str_object_size, str_state, str_length, ascii_size;
};
constexpr std::string_view kCookie = "xdebugpy";
// Of the usual build; the one without a GIL keeps it elsewhere.
constexpr u32 kThreadKey313 = 2160;
// Bytes of a str that is not ASCII before its text: the length and place of its UTF-8.
constexpr u32 kCompactMore = 16;

// A table that a stranger made up must not lead far.
constexpr u64 kMaxOffset = 1U << 20;
constexpr u64 kMaxObjectOffset = 512;

std::optional<PythonLayout> layout_from(const DebugOffsets& told, u32 version) {
  if (std::string_view{told.cookie, sizeof(told.cookie)} != kCookie) return std::nullopt;
  if (told.version >> 16 != version >> 16) return std::nullopt;
  const auto far = {told.interpreters, told.next_interpreter, told.threads,
                    told.next_thread,  told.current_frame,    told.thread_id};
  const auto near = {told.file_name,  told.qualified_name, told.line_table, told.first_line,
                     told.code_start, told.object_type,    told.bytes_size, told.bytes_data,
                     told.str_state,  told.str_length,     told.ascii_size};
  const auto words = {told.executable, told.previous, told.instruction};
  if (std::ranges::any_of(far, [](u64 offset) { return offset >= kMaxOffset; }) ||
      std::ranges::any_of(near, [](u64 offset) { return offset >= kMaxObjectOffset; }) ||
      std::ranges::any_of(words, [](u64 o) { return o + 8 > WICK_PYTHON_FRAME_BYTES || o % 8; }) ||
      told.owner >= WICK_PYTHON_FRAME_BYTES)
    return std::nullopt;
  const auto at = [](u64 offset) { return static_cast<u32>(offset); };
  return PythonLayout{.thread_key = told.free_threaded != 0 ? 0 : kThreadKey313,
                      .interpreters = at(told.interpreters),
                      .next_interpreter = at(told.next_interpreter),
                      .threads = at(told.threads),
                      .next_thread = at(told.next_thread),
                      .thread_id = at(told.thread_id),
                      .thread_frame = at(told.current_frame),
                      .code = at(told.executable),
                      .previous = at(told.previous),
                      .instruction = at(told.instruction),
                      .boundary = at(told.owner),
                      .boundary_from = kOwnedByC,
                      .has_shims = true,
                      .object_type = at(told.object_type),
                      .first_line = at(told.first_line),
                      .file_name = at(told.file_name),
                      .qualified_name = at(told.qualified_name),
                      .line_table = at(told.line_table),
                      .code_start = at(told.code_start),
                      .str_length = at(told.str_length),
                      .str_state = at(told.str_state),
                      .ascii_data = at(told.ascii_size),
                      .compact_data = at(told.ascii_size) + kCompactMore,
                      .bytes_size = at(told.bytes_size),
                      .bytes_data = at(told.bytes_data)};
}

constexpr std::array kNames{"Py_Version"sv, "PyCode_Type"sv, "PyUnicode_Type"sv, "PyBytes_Type"sv,
                            "PyGILState_GetThisThreadState"sv};

template <class T>
std::optional<T> read_at(const ElfFile& elf, u64 vaddr) {
  T value{};
  const auto offset = elf.vaddr_to_file_offset(vaddr);
  if (!offset || !elf.bytes().read(*offset, std::as_writable_bytes(std::span(&value, 1))))
    return std::nullopt;
  return value;
}

// The key may stand elsewhere in a patched interpreter. The function that asks for it names it: as
// an offset from _PyRuntime, or as an address relative to the instruction's end.
bool mentions(std::span<const std::byte> code, u64 vaddr, u64 runtime, u32 offset) {
  constexpr u32 kKeyAfterFlag = 4;  // the key itself, behind "there is one"
  for (std::size_t i = 0; i + sizeof(i32) <= code.size(); i++) {
    i32 number = 0;
    std::memcpy(&number, &code[i], sizeof(number));
    const u64 target = vaddr + i + sizeof(i32) + static_cast<u64>(i64{number});
    const u64 absolute = static_cast<u32>(number);
    for (const u64 wanted : {u64{offset}, u64{offset} + kKeyAfterFlag})
      if (absolute == wanted || absolute == runtime + wanted || target == runtime + wanted)
        return true;
  }
  return false;
}

bool key_is_there(const ElfFile& elf, const NamedSymbol& getter, u64 runtime, u32 offset) {
  std::array<std::byte, 64> code{};
  const auto at = elf.vaddr_to_file_offset(getter.vaddr);
  if (!at) return false;
  const std::size_t got = elf.bytes().read_some(*at, code);
  return mentions(std::span(code).first(got), getter.vaddr, runtime, offset);
}

}  // namespace

std::optional<PythonLayout> python_layout(u32 version, std::span<const std::byte> runtime) {
  switch (version >> 16) {
    case 0x030B:
      return kPython311;
    case 0x030C:
      return kPython312;
    case 0x030D: {
      DebugOffsets told;
      if (runtime.size() < sizeof(told)) return std::nullopt;
      std::memcpy(&told, runtime.data(), sizeof(told));
      return layout_from(told, version);
    }
    default:
      return std::nullopt;
  }
}

std::optional<PythonFile> find_python(const ElfFile& elf) {
  const ElfSection* runtime = elf.section(".PyRuntime");
  if (runtime == nullptr || !elf.is_64() || !is_this_machine(elf.machine())) return std::nullopt;
  const auto symbols = find_symbols(elf, kNames);
  const auto address = [&](std::size_t i) { return symbols[i] ? symbols[i]->vaddr : 0; };
  PythonFile out{.runtime = runtime->address,
                 .code_type = address(1),
                 .str_type = address(2),
                 .bytes_type = address(3),
                 .layout = {}};
  std::array<std::byte, sizeof(DebugOffsets)> head{};
  const std::size_t got = elf.bytes().read_some(runtime->offset, head);
  // Known only to 3.11 and newer; files that do not export it may have the table of offsets.
  if (symbols[0])
    out.version = static_cast<u32>(read_at<u64>(elf, address(0)).value_or(0));
  else if (got == head.size() && std::memcmp(head.data(), kCookie.data(), kCookie.size()) == 0)
    std::memcpy(&out.version, &head[offsetof(DebugOffsets, version)], sizeof(out.version));
  out.layout = python_layout(out.version, std::span(head).first(got));
  if (out.layout && symbols[4] &&
      !key_is_there(elf, *symbols[4], out.runtime, out.layout->thread_key))
    out.layout->thread_key = 0;
  return out;
}

}  // namespace wick
