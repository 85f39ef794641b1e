// How CPython lays out what a profiler reads, by version, and where it is in a file. Used by
// PythonRuntimeFile, which hands the offsets to BPF (bpf/abi/runtime/python.h), and by
// python_code. Thread rule: free functions, no state.
//
//   if (const auto python = find_python(elf)) … python->runtime …   // most files: nothing
//
// 3.11 and 3.12 are known by heart; from 3.13 on the interpreter carries a table of its own offsets
// in front of _PyRuntime (_Py_DebugOffsets), and that is read. 3.14 may be built so that each
// instruction is a function that jumps to the next: then two C frames run the Python frames.
#pragma once

#include <optional>
#include <span>

#include "base/ids.h"
#include "object/elf_file.h"

namespace wick {

// Offsets in bytes.
struct PythonLayout {
  // _PyRuntime
  u32 thread_key = 0;      // autoTSSkey; 0: not known
  u32 current_thread = 0;  // only 3.11 has it there
  u32 interpreters = 0;
  // PyInterpreterState, PyThreadState
  u32 next_interpreter = 0;
  u32 threads = 0;
  u32 next_thread = 0;
  u32 thread_id = 0;
  u32 thread_frame = 0;
  // _PyCFrame, up to 3.12
  bool has_cframe = false;
  u32 cframe_frame = 0;
  u32 cframe_previous = 0;
  // _PyInterpreterFrame
  u32 code = 0;
  u32 previous = 0;
  u32 instruction = 0;
  u32 boundary = 0;  // is_entry in 3.11, owner later
  u8 boundary_from = 0;
  bool has_shims = false;  // from 3.12 on: the boundary is a frame of its own
  u8 callees = 0;          // C frames of the interpreter that the one with the boundary calls
  // PyObject, PyCodeObject
  u32 object_type = 8;
  u32 first_line = 0;
  u32 file_name = 112;
  u32 qualified_name = 128;
  u32 line_table = 136;
  u32 code_start = 0;
  // PyASCIIObject, PyCompactUnicodeObject, PyBytesObject
  u32 str_length = 16;
  u32 str_state = 32;
  u32 str_state_shift = 0;  // 3.14 keeps the state two bytes further on; before, those are not set
  u32 ascii_data = 40;
  u32 compact_data = 56;
  u32 bytes_size = 16;
  u32 bytes_data = 32;

  bool operator==(const PythonLayout&) const = default;
};

// An interpreter in a file. Addresses are the file's own (vaddr); 0: the file does not tell.
struct PythonFile {
  u32 version = 0;  // 0x030b02f0 is 3.11.2
  u64 runtime = 0;
  u64 code_type = 0;
  u64 str_type = 0;
  u64 bytes_type = 0;
  std::optional<PythonLayout> layout;  // none: a version we do not know
};

// `runtime` are the first bytes of _PyRuntime, as they stand in the file.
[[nodiscard]] std::optional<PythonLayout> python_layout(u32 version,
                                                        std::span<const std::byte> runtime);

// Nothing when the file holds no interpreter.
[[nodiscard]] std::optional<PythonFile> find_python(const ElfFile& elf);

}  // namespace wick
