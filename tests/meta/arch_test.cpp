// What knows a CPU is in src/arch and bpf/arch: a second one is a folder on each side.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "source_tree.h"

namespace wick::test {

namespace {

// Names of the CPU, of its registers as its manual and the kernel have them, and of its ELF files.
constexpr std::array<std::string_view, 19> kWords{
    "x86", "x86_64", "amd64", "i386", "rax", "rbx", "rcx", "rdx",       "rsi",   "rdi",
    "rbp", "rsp",    "rip",   "eax",  "r9",  "r12", "r15", "EM_X86_64", "EM_386"};
constexpr std::array<std::string_view, 3> kBeginnings{"R_X86_64", "R_386", "__x64_"};
// As fields of pt_regs.
constexpr std::array<std::string_view, 7> kFields{"ax", "bx", "cx", "dx", "si", "di", "orig_ax"};

// Read instructions or a stack's layout in a way that is still to be taken apart
// (docs/decisions/0042-arch.md). None may join them.
constexpr std::array<std::string_view, 6> kStillThere{
    "src/unwind/go_switches.cpp",               // Go's runtime, by the bytes of its instructions
    "src/unwind/go_rows.cpp",                   // a prologue's first instructions
    "bpf/abi/unwind.h",                         // the rules of a row
    "bpf/runtime/python.bpf.h",                 // the thread pointer
    "bpf/vfsstat.bpf.c",                        // the kernel's name of a system call
    "src/formats/bpftrace/stack_evidence.cpp",  // likewise, in files of any machine
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool knows_a_cpu(std::string_view text, std::size_t at, std::string_view word) {
  if (std::ranges::find(kWords, word) != kWords.end()) return true;
  if (std::ranges::any_of(kBeginnings, [&](auto b) { return word.starts_with(b); })) return true;
  const bool is_field = at >= 2 && text.substr(at - 2, 2) == "->";
  return is_field && std::ranges::find(kFields, word) != kFields.end();
}

// The first such word; empty: none.
std::string_view first_word_of_a_cpu(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      at++;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) end++;
    const std::string_view word = text.substr(at, end - at);
    if (knows_a_cpu(text, at, word)) return word;
    at = end;
  }
  return {};
}

bool is_code_of_any_cpu(const SourceFile& file) {
  const bool is_code = file.ends_with_any({".h", ".cpp", ".c"});
  const bool is_arch = file.is_under("src/arch/") || file.is_under("bpf/arch/");
  return is_code && !is_arch && (file.is_under("src/") || file.is_under("bpf/"));
}

}  // namespace

TEST(Arch, OnlyItsFoldersKnowACpu) {
  for (const SourceFile& file : source_tree()) {
    if (!is_code_of_any_cpu(file)) continue;
    if (std::ranges::find(kStillThere, file.path) != kStillThere.end()) continue;
    EXPECT_EQ(first_word_of_a_cpu(file.text), "") << file.path;
  }
}

TEST(Arch, WordsAreSeen) {
  EXPECT_EQ(first_word_of_a_cpu("mov %rsp,%rdi"), "rsp");
  EXPECT_EQ(first_word_of_a_cpu("u64 call = regs->orig_ax;"), "orig_ax");
  EXPECT_EQ(first_word_of_a_cpu("type == R_X86_64_RELATIVE"), "R_X86_64_RELATIVE");
  EXPECT_EQ(first_word_of_a_cpu("tripled registers->sp"), "");
}

}  // namespace wick::test
