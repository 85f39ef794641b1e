// CRuby as a Runtime. In the table of runtimes by the name of its folder.
#pragma once

#include "runtime/runtime.h"

namespace wick {

[[nodiscard]] std::shared_ptr<const RuntimeFile> find_ruby_file(const ElfFile& elf);
[[nodiscard]] std::shared_ptr<const RuntimeFile> unpack_ruby_file(ByteReader& in);
[[nodiscard]] std::unique_ptr<FrameNamer> make_ruby_namer();

inline constexpr Runtime kRubyRuntime{
    .name = "Ruby",
    .kind = WICK_RUNTIME_RUBY,
    .versions = "those of libruby 3.1",
    .option = "no-ruby",
    .option_help = "leave the Ruby interpreter's own frames in place of Ruby's",
    .gone_frame = "[ruby code gone]",
    .losses = {"threads whose Ruby state was not found", "Ruby stacks not readable",
               "Ruby stacks without their place"},
    .gone_loss = "Ruby frames whose code was gone",
    .refused_loss = "Ruby frames of processes with too many names",
    .find = find_ruby_file,
    .unpack = unpack_ruby_file,
    .make_namer = make_ruby_namer,
};

}  // namespace wick
