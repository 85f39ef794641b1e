// CPython as a Runtime. In the table of runtimes by the name of its folder.
#pragma once

#include "runtime/runtime.h"

namespace wick {

[[nodiscard]] std::shared_ptr<const RuntimeFile> find_python_file(const ElfFile& elf);
[[nodiscard]] std::shared_ptr<const RuntimeFile> unpack_python_file(ByteReader& in);
[[nodiscard]] std::unique_ptr<FrameNamer> make_python_namer();

inline constexpr Runtime kPythonRuntime{
    .name = "Python",
    .kind = WICK_RUNTIME_PYTHON,
    .versions = "3.11 to 3.13",
    .option = "no-python",
    .option_help = "leave the Python interpreter's own frames in place of Python's",
    .gone_frame = "[python code gone]",
    .losses = {"threads whose Python state was not found", "Python stacks not readable",
               "Python stacks without their place"},
    .gone_loss = "Python frames whose code was gone",
    .refused_loss = "Python frames of processes with too many names",
    .find = find_python_file,
    .unpack = unpack_python_file,
    .make_namer = make_python_namer,
};

}  // namespace wick
