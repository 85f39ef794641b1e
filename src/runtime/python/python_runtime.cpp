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
          .pad = {}};
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

std::shared_ptr<const RuntimeFile> find_python_file(const ElfFile& elf) {
  auto python = find_python(elf);
  return python ? std::make_shared<const PythonRuntimeFile>(*std::move(python)) : nullptr;
}

}  // namespace wick
