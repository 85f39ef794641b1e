#include "unwind/go_rows.h"

#include <gmock/gmock.h>

#include "tests/unit/object/go_builder.h"
#include "unwind/go_switches.h"
#include "unwind/unwind_table.h"

namespace wick {
namespace {

Bytes code_of(std::initializer_list<int> bytes, std::size_t size = 0) {
  Bytes out;
  for (const int byte : bytes) out.push_back(static_cast<std::byte>(byte));
  out.resize(std::max(size, out.size()), std::byte{0xCC});
  return out;
}

UnwindTable go_table_of(GoBuilder& go) {
  const auto elf = ElfFile::from_bytes(go.build());
  EXPECT_TRUE(elf) << elf.error().text();
  auto table = build_unwind_table(*elf);
  EXPECT_TRUE(table) << table.error().text();
  return table ? *std::move(table) : UnwindTable{};
}

const wick_unwind_row& go_row_at(const UnwindTable& table, u64 vaddr) {
  return table.rows[table.find(vaddr - table.base)];
}

TEST(GoRows, ALeafWithoutAFrameHasItsCallerAtTheStackPointer) {
  GoBuilder go{GoBuilder::kGo119};
  const u64 leaf = go.function({.name = "main.leaf", .code = Bytes(32), .pcsp = {{0, 32}}});
  const UnwindTable table = go_table_of(go);
  EXPECT_EQ(go_row_at(table, leaf + 8).rule, WICK_UNWIND_SP);
  EXPECT_EQ(go_row_at(table, leaf + 8).cfa, 1);
  EXPECT_EQ(go_row_at(table, leaf + 8).bp, WICK_UNWIND_BP_SAME);
}

TEST(GoRows, BpIsSavedWhereTheCodeStoresIt) {
  GoBuilder go{GoBuilder::kGo119};
  // sub $0x10,%rsp; mov %rbp,0x8(%rsp)
  const u64 at =
      go.function({.name = "main.half",
                   .code = code_of({0x48, 0x83, 0xEC, 0x10, 0x48, 0x89, 0x6C, 0x24, 0x08}, 32),
                   .pcsp = {{0, 4}, {16, 20}, {0, 8}}});
  // push %rax, as assembly does: bp stays
  const u64 other = go.function(
      {.name = "main.assembly", .code = code_of({0x50}, 16), .pcsp = {{0, 1}, {8, 14}, {0, 1}}});
  const UnwindTable table = go_table_of(go);
  EXPECT_EQ(go_row_at(table, at).cfa, 1);
  EXPECT_EQ(go_row_at(table, at + 4).cfa, 3);
  EXPECT_EQ(go_row_at(table, at + 4).bp, WICK_UNWIND_BP_SAME);
  EXPECT_EQ(go_row_at(table, at + 9).cfa, 3);
  EXPECT_EQ(go_row_at(table, at + 9).bp, -2);
  EXPECT_EQ(go_row_at(table, at + 24).cfa, 1);
  EXPECT_EQ(go_row_at(table, other + 4).cfa, 2);
  EXPECT_EQ(go_row_at(table, other + 4).bp, WICK_UNWIND_BP_SAME);
}

TEST(GoRows, APushOfBpSavesItFromThereOn) {
  GoBuilder go{GoBuilder::kGo126};
  const u64 at = go.function({.name = "main.half",
                              .code = code_of({0x55, 0x48, 0x89, 0xE5, 0x48, 0x83, 0xEC, 0x10}, 32),
                              .pcsp = {{0, 1}, {8, 7}, {24, 16}, {8, 4}, {0, 4}}});
  const UnwindTable table = go_table_of(go);
  EXPECT_EQ(go_row_at(table, at).bp, WICK_UNWIND_BP_SAME);
  EXPECT_EQ(go_row_at(table, at + 1).bp, -2);
  EXPECT_EQ(go_row_at(table, at + 8).cfa, 4);
  EXPECT_EQ(go_row_at(table, at + 24).bp, -2);
  EXPECT_EQ(go_row_at(table, at + 28).bp, WICK_UNWIND_BP_SAME);
}

TEST(GoRows, RootsAndSignalFramesAreKnown) {
  GoBuilder go{GoBuilder::kGo119};
  const u64 root = go.function({.name = "runtime.goexit",
                                .code = Bytes(16),
                                .pcsp = {{0, 16}},
                                .flags = GoFunction::kTopFrame});
  const u64 handler = go.function({.name = "runtime.sigtramp",
                                   .code = code_of({}, 16),
                                   .pcsp = {{0, 16}},
                                   .flags = GoFunction::kTopFrame});
  const u64 back = go.function({.name = "runtime.sigreturn",
                                .code = code_of({0x48, 0xC7, 0xC0, 15, 0, 0, 0, 0x0F, 0x05}, 16),
                                .pcsp = {{0, 16}}});
  const UnwindTable table = go_table_of(go);
  EXPECT_EQ(go_row_at(table, root).rule, WICK_UNWIND_END);
  EXPECT_EQ(go_row_at(table, handler).rule, WICK_UNWIND_SP);
  EXPECT_EQ(go_row_at(table, back - 1).rule, WICK_UNWIND_SIGNAL);
  EXPECT_EQ(go_row_at(table, back + 8).rule, WICK_UNWIND_SIGNAL);
}

// A pctab of a few bytes that every function shares, and functions without end: more steps than
// the file's size explains.
TEST(GoRows, WorkIsBoundedByTheFile) {
  GoBuilder go{GoBuilder::kGo119};
  std::vector<GoBuilder::Value> many;
  for (int i = 0; i < 60000; i++) many.push_back({(i & 1) * 8, 1});
  go.function({.name = "main.main", .code = Bytes(60000), .pcsp = many});
  const UnwindTable table = go_table_of(go);
  EXPECT_LE(table.rows.size(), 60002U);
}

// mov %fs:-8,%rax; mov 0x30(%rax),%rbx; mov 0x38(%rdx),%rsp; call *%rdi; mov 0xb8(%rbx),%rax;
// mov 0x38(%rax),%rsp; ret
Bytes systemstack_code() {
  return code_of({0x64, 0x48, 0x8B, 0x04, 0x25, 0xF8, 0xFF, 0xFF, 0xFF, 0x48, 0x8B,
                  0x58, 0x30, 0x48, 0x8B, 0x62, 0x38, 0xFF, 0xD7, 0x48, 0x8B, 0x83,
                  0xB8, 0,    0,    0,    0x48, 0x8B, 0x60, 0x38, 0xC3});
}

TEST(GoSwitches, TheLayoutOfAThreadIsReadFromSystemstack) {
  const auto thread = find_go_thread(systemstack_code());
  ASSERT_TRUE(thread);
  EXPECT_EQ(thread->tls, 1);
  EXPECT_EQ(thread->curg, 0xB8 / 8);
  EXPECT_FALSE(find_go_thread(Bytes(64)));
}

TEST(GoSwitches, SystemstackIsOnTheOtherStackBetweenItsTwoWrites) {
  const Bytes code = systemstack_code();
  const auto found = find_go_switches("runtime.systemstack", 0x1000, code, find_go_thread(code));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].begin, 0x1000U + 17);
  EXPECT_EQ(found[0].end, 0x1000U + 30);
  EXPECT_EQ(found[0].rule, WICK_UNWIND_GO_SYSTEM);
  EXPECT_EQ(found[0].place, 0xB8 / 8 | 1 << 12);
}

TEST(GoSwitches, AFunctionWithOtherCodeHasNoRuleAfterItsFirstWrite) {
  // nop; mov %rbx,%rsp; ret
  const Bytes code = code_of({0x90, 0x48, 0x89, 0xDC, 0xC3});
  const auto found = find_go_switches("runtime.asmcgocall", 0x1000, code, GoThread{1, 24});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].begin, 0x1004U);
  EXPECT_EQ(found[0].end, 0x1005U);
  EXPECT_EQ(found[0].rule, WICK_UNWIND_UNSUPPORTED);
}

TEST(GoSwitches, ACallOfTheVdsoThatKeepsNoStackPointerHasNoRule) {
  const Bytes code = code_of({0x48, 0x89, 0xD4, 0x48, 0x89, 0xEC});  // two writes to sp, no store
  const auto found = find_go_switches("runtime.nanotime1", 0x1000, code, GoThread{1, 24});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].begin, 0x1003U);
  EXPECT_EQ(found[0].rule, WICK_UNWIND_UNSUPPORTED);
}

TEST(GoSwitches, AsmcgocallKeepsGAndDepthWhereItsCodeStoresThem) {
  // mov 0x38(%rsi),%rsp; mov %rdi,0x30(%rsp); mov 0x8(%rdi),%rdi; mov %rdi,0x28(%rsp); call *%rax;
  // mov %rsi,%rsp; ret; mov %rdx,0x28(%rsp); call *%rax; mov %rsi,%rsp; ret
  const Bytes code =
      code_of({0x48, 0x8B, 0x66, 0x38, 0x48, 0x89, 0x7C, 0x24, 0x30, 0x48, 0x8B, 0x7F,
               0x08, 0x48, 0x89, 0x7C, 0x24, 0x28, 0xFF, 0xD0, 0x48, 0x89, 0xF4, 0xC3,
               0x48, 0x89, 0x54, 0x24, 0x28, 0xFF, 0xD0, 0x48, 0x89, 0xF4, 0xC3});
  const auto found = find_go_switches("runtime.asmcgocall", 0, code, std::nullopt);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1].rule, WICK_UNWIND_GO_CGO);
  EXPECT_EQ(found[1].begin, 18U);
  EXPECT_EQ(found[1].end, 23U);
  EXPECT_EQ(found[1].place, 6 | 5 << 4);
  EXPECT_EQ(found[3].rule, WICK_UNWIND_SP_DEREF);
  EXPECT_EQ(found[3].begin, 29U);
  EXPECT_EQ(found[3].place, 5);
}

}  // namespace
}  // namespace wick
