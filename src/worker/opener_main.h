// The opener's side: a process with Wick's rights that opens mapped files and passes them on until
// its socket closes. Started by FileOpener as `/proc/self/exe --file-opener`, with the socket as
// descriptor 3.
#pragma once

#include <linux/capability.h>

#include <span>
#include <vector>

#include "base/capabilities.h"
#include "base/fd.h"
#include "base/result.h"
#include "proc/mapped_file.h"

namespace wick {

inline constexpr const char* kOpenerArgument = "--file-opener";

// The capabilities that opening takes; the opener drops the others.
inline constexpr u64 kOpeningRights =
    capability_bit(CAP_SYS_PTRACE) | capability_bit(CAP_DAC_READ_SEARCH) |
    capability_bit(CAP_CHECKPOINT_RESTORE) | capability_bit(CAP_SYS_ADMIN) |
    capability_bit(CAP_SETUID) | capability_bit(CAP_SETGID);

[[noreturn]] void run_opener(Fd socket);

// The question and the answer as bytes; the descriptor travels beside them.
struct OpenQuestion {
  u32 pid = 0;
  ProcMapping mapping;
};
[[nodiscard]] std::vector<std::byte> encode(const OpenQuestion& question);
[[nodiscard]] Result<OpenQuestion> decode_open_question(std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> encode_opened(const Result<MappedFile>& opened);
[[nodiscard]] Result<MappedFile> decode_opened(std::span<const std::byte> bytes, Fd file);

}  // namespace wick
