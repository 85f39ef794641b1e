#include "worker/answers.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TableAnswer small_answer() {
  TableAnswer answer;
  answer.kind = TableKind::rows;
  answer.table.base = 0x1000;
  answer.table.limit = 0x1480;
  answer.table.rows = {{.pc = 0, .cfa = 1, .bp = 0, .rule = WICK_UNWIND_SP},
                       {.pc = 4, .cfa = 2, .bp = -2, .rule = WICK_UNWIND_SP},
                       {.pc = 0x480, .cfa = 0, .bp = 0, .rule = WICK_UNWIND_GAP}};
  answer.table.functions = 1;
  answer.code = {{.type = 1, .flags = 5, .offset = 0x1000, .vaddr = 0x1000, .file_size = 0x480}};
  answer.identity = "abc 12 34";
  answer.python = PythonFile{.version = 0x030b02f0, .runtime = 0x5000, .layout = PythonLayout{}};
  answer.python->layout->code = 77;
  answer.python->layout->has_shims = true;
  answer.spent = {.cpu_ns = 5, .stopped = false, .refused = "", .complaint = "two \x1b[31m PLTs"};
  return answer;
}

TEST(TableAnswer, ComesBackAsItWas) {
  const TableAnswer sent = small_answer();
  const auto got = decode_table_answer(encode(sent));
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_EQ(got->kind, TableKind::rows);
  EXPECT_EQ(got->identity, sent.identity);
  ASSERT_EQ(got->table.rows.size(), 3U);
  EXPECT_EQ(got->table.rows[1].cfa, 2);
  EXPECT_EQ(got->table.limit, 0x1480U);
  EXPECT_EQ(got->table.rows[got->table.find(0x100)].pc, 4U);
  ASSERT_EQ(got->code.size(), 1U);
  EXPECT_EQ(got->code.front().file_size, 0x480U);
  ASSERT_TRUE(got->python && got->python->layout);
  EXPECT_EQ(*got->python->layout, *sent.python->layout);
  EXPECT_EQ(got->python->runtime, 0x5000U);
  EXPECT_EQ(got->spent.cpu_ns, 5U);
}

TEST(TableAnswer, TextsCannotDriveATerminal) {
  const auto got = decode_table_answer(encode(small_answer()));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->spent.complaint, "two ?[31m PLTs");
}

TEST(TableAnswer, CutAnywhereItIsRefused) {
  const auto bytes = encode(small_answer());
  for (std::size_t size = 0; size < bytes.size(); size++)
    EXPECT_FALSE(decode_table_answer(std::span(bytes).first(size))) << size;
}

TEST(TableAnswer, TablesThatWouldLeadAWalkAstrayAreRefused) {
  const auto refused = [](auto change) {
    TableAnswer answer = small_answer();
    change(answer.table);
    return !decode_table_answer(encode(answer));
  };
  EXPECT_TRUE(refused([](UnwindTable& table) { table.rows[1].pc = 0; }));
  EXPECT_TRUE(refused([](UnwindTable& table) { table.rows[1].pc = 0x481; }));
  EXPECT_TRUE(refused([](UnwindTable& table) { table.rows[2].pc = 0x481; }));
  EXPECT_TRUE(refused([](UnwindTable& table) { table.rows[0].pc = 1; }));
  EXPECT_TRUE(refused([](UnwindTable& table) { table.rows[0].rule = 200; }));
  EXPECT_TRUE(refused([](UnwindTable& table) { table.base = 0x1001; }));
  EXPECT_TRUE(refused([](UnwindTable& table) { table.limit = table.base; }));
  EXPECT_TRUE(refused([](UnwindTable& table) { table.limit = 0x10'0000'0000; }));
  EXPECT_TRUE(refused([](UnwindTable& table) { table.rows.clear(); }));
}

TEST(TableAnswer, AnotherKindHasNoRows) {
  TableAnswer answer = small_answer();
  answer.kind = TableKind::none;
  const auto got = decode_table_answer(encode(answer));
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->table.empty());
}

}  // namespace
}  // namespace wick
