#include "runtime/python/python_runtime.h"

#include <fmt/format.h>

#include <cstring>

#include "bpf/abi/runtime/python.h"
#include "runtime/python/python_file.h"

namespace wick {
namespace {

wick_python_layout to_abi(const PythonLayout& layout, u64 address, bool has_glibc) {
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
          .callees = layout.callees,
          .pad = {}};
}

// Calls `visit` with each number of a layout, so that writing and reading go by one list.
template <class Layout, class Visit>
void for_each_offset(Layout& layout, const Visit& visit) {
  for (auto* offset : {&layout.thread_key,       &layout.current_thread, &layout.interpreters,
                       &layout.next_interpreter, &layout.threads,        &layout.next_thread,
                       &layout.thread_id,        &layout.thread_frame,   &layout.cframe_frame,
                       &layout.cframe_previous,  &layout.code,           &layout.previous,
                       &layout.instruction,      &layout.boundary,       &layout.object_type,
                       &layout.first_line,       &layout.file_name,      &layout.qualified_name,
                       &layout.line_table,       &layout.code_start,     &layout.str_length,
                       &layout.str_state,        &layout.ascii_data,     &layout.compact_data,
                       &layout.bytes_size,       &layout.bytes_data,     &layout.str_state_shift})
    visit(*offset);
}

}  // namespace

const Runtime& PythonRuntimeFile::runtime() const {
  return kPythonRuntime;
}

std::string PythonRuntimeFile::version() const {
  // The symbol that tells it came with 3.11.
  if (file_.version == 0) return "before 3.11";
  return fmt::format("{}.{}", file_.version >> 24, (file_.version >> 16) & 0xFF);
}

std::optional<wick_runtime> PythonRuntimeFile::attach(const RuntimeProcess& process) const {
  if (!file_.layout) return std::nullopt;
  const wick_python_layout layout =
      to_abi(*file_.layout, file_.runtime + process.bias, process.has_glibc);
  wick_runtime out{.kind = WICK_RUNTIME_PYTHON, .pad = 0, .layout = {}};
  static_assert(sizeof(layout) <= sizeof(out.layout));
  std::memcpy(out.layout, &layout, sizeof(layout));
  return out;
}

void PythonRuntimeFile::pack(WireWriter& out) const {
  out.put(file_.version);
  for (const u64 address : {file_.runtime, file_.code_type, file_.str_type, file_.bytes_type})
    out.put(address);
  out.put<u8>(file_.layout ? 1 : 0);
  if (!file_.layout) return;
  for_each_offset(*file_.layout, [&](u32 offset) { out.put(offset); });
  out.put<u8>(file_.layout->has_cframe ? 1 : 0);
  out.put<u8>(file_.layout->has_shims ? 1 : 0);
  out.put<u8>(file_.layout->boundary_from);
  out.put<u8>(file_.layout->callees);
}

std::shared_ptr<const RuntimeFile> unpack_python_file(ByteReader& in) {
  PythonFile python;
  python.version = in.fixed<u32>();
  for (u64* address : {&python.runtime, &python.code_type, &python.str_type, &python.bytes_type})
    *address = in.fixed<u64>();
  if (in.byte() != 0) {
    PythonLayout& layout = python.layout.emplace();
    for_each_offset(layout, [&](u32& offset) { offset = in.fixed<u32>(); });
    layout.has_cframe = in.byte() != 0;
    layout.has_shims = in.byte() != 0;
    layout.boundary_from = in.byte();
    layout.callees = in.byte();
  }
  return std::make_shared<const PythonRuntimeFile>(std::move(python));
}

std::shared_ptr<const RuntimeFile> find_python_file(const ElfFile& elf) {
  auto python = find_python(elf);
  return python ? std::make_shared<const PythonRuntimeFile>(*std::move(python)) : nullptr;
}

}  // namespace wick
