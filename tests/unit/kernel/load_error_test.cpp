#include "kernel/load_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kLog =
    "func#0 @0\n"
    "0: R1=ctx(off=0,imm=0) R10=fp0\n"
    "0: (bf) r6 = r0\n"
    "R0 !read_ok\n"
    "processed 1 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 "
    "mark_read 0\n";

TEST(LoadError, VerifierComplaintStandsBeforeItsFigures) {
  EXPECT_EQ(verifier_complaint(kLog), "R0 !read_ok");
  EXPECT_EQ(verifier_complaint("too many\nverification time 12 usec\nstack depth 0\nprocessed 3"),
            "too many");
  EXPECT_EQ(verifier_complaint(""), "");
}

// As 6.1 answers what its verifier refuses: EACCES to root.
TEST(LoadError, VerifierRefusalIsNotAMissingPrivilege) {
  const Error error =
      load_error({.code = EACCES, .program = "on_switch", .log = std::string(kLog)});
  EXPECT_THAT(error.text(), HasSubstr("this kernel's verifier refuses on_switch: R0 !read_ok"));
  EXPECT_THAT(error.text(), Not(HasSubstr("CAP_BPF")));
  EXPECT_THAT(error.text(), Not(HasSubstr("Permission denied")));
}

TEST(LoadError, WithoutPrivilegesTheyAreNamed) {
  EXPECT_THAT(load_error({.code = EPERM, .is_privileged = false}).text(),
              HasSubstr("Operation not permitted — needs CAP_BPF and CAP_PERFMON"));
  // The verifier allows less to who may less.
  EXPECT_THAT(load_error({.code = EACCES, .log = std::string(kLog), .is_privileged = false}).text(),
              HasSubstr("needs CAP_BPF"));
}

TEST(LoadError, WithPrivilegesSomethingElseForbidsIt) {
  EXPECT_THAT(load_error({.code = EPERM}).text(), HasSubstr("lockdown"));
}

TEST(LoadError, KernelWithoutBtfIsSaid) {
  EXPECT_THAT(load_error({.code = ESRCH, .has_btf = false}).text(),
              HasSubstr("CONFIG_DEBUG_INFO_BTF=y"));
}

TEST(LoadError, OtherwiseLibbpfsWordsAreTheHint) {
  EXPECT_THAT(load_error({.code = ENOMEM, .warning = "map 'counts_a': failed to create"}).text(),
              HasSubstr("map 'counts_a': failed to create"));
}

}  // namespace
}  // namespace wick
