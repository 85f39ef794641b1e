#include "worker/answers.h"

#include <gtest/gtest.h>

#include "runtime/python/python_file.h"

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
  PythonFile python{.version = 0x030b02f0, .runtime = 0x5000, .layout = PythonLayout{}};
  python.layout->code = 77;
  python.layout->has_shims = true;
  answer.runtime = std::make_shared<const PythonRuntimeFile>(python);
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
  const auto python = std::dynamic_pointer_cast<const PythonRuntimeFile>(got->runtime);
  ASSERT_TRUE(python && python->file().layout);
  EXPECT_EQ(python->file().layout->code, 77U);
  EXPECT_TRUE(python->file().layout->has_shims);
  EXPECT_FALSE(python->file().layout->has_cframe);
  EXPECT_EQ(python->file().runtime, 0x5000U);
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

NamesAnswer small_names() {
  NamesAnswer answer;
  answer.readable = true;
  answer.build_id = "00ff";
  const u32 name = answer.texts.add("spin");
  const u32 file = answer.texts.add("spin.c");
  answer.inlined = {{.function = name, .file = file, .line = 3}};
  answer.places = {{.vaddr = 0x1004,
                    .function_start = 0x1000,
                    .name = name,
                    .spot = {.function = 0, .file = file, .line = 7},
                    .first_inlined = 0,
                    .inlined_count = 1},
                   {.vaddr = 0x2000, .is_broken = true}};
  return answer;
}

TEST(NamesAnswer, ComesBackAsItWas) {
  const auto got = decode_names_answer(encode(small_names()), 2);
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_EQ(got->build_id, "00ff");
  ASSERT_EQ(got->places.size(), 2U);
  EXPECT_EQ(got->texts.at(got->places[0].name), "spin");
  EXPECT_EQ(got->places[0].spot.line, 7U);
  EXPECT_EQ(got->texts.at(got->inlined.at(got->places[0].first_inlined).file), "spin.c");
  EXPECT_FALSE(got->places[0].is_broken);
  EXPECT_TRUE(got->places[1].is_broken);
  EXPECT_EQ(got->places[1].name, 0U);
}

TEST(NamesAnswer, CutAnywhereItIsRefused) {
  const auto bytes = encode(small_names());
  for (std::size_t size = 0; size < bytes.size(); size++)
    EXPECT_FALSE(decode_names_answer(std::span(bytes).first(size), 2)) << size;
}

TEST(NamesAnswer, NumbersOfWhatIsNotThereAreRefused) {
  const auto refused = [](auto change) {
    NamesAnswer answer = small_names();
    change(answer);
    return !decode_names_answer(encode(answer), 2);
  };
  EXPECT_FALSE(refused([](NamesAnswer&) {}));
  EXPECT_TRUE(refused([](NamesAnswer& answer) { answer.places[0].name = 3; }));
  EXPECT_TRUE(refused([](NamesAnswer& answer) { answer.places[1].spot.file = 99; }));
  EXPECT_TRUE(refused([](NamesAnswer& answer) { answer.inlined[0].function = 99; }));
  EXPECT_TRUE(refused([](NamesAnswer& answer) { answer.places[0].first_inlined = 1; }));
  EXPECT_TRUE(refused([](NamesAnswer& answer) { answer.places[0].inlined_count = ~0U; }));
  EXPECT_TRUE(refused([](NamesAnswer& answer) { answer.places.pop_back(); }));
  EXPECT_TRUE(refused([](NamesAnswer& answer) { answer.build_id = "\x1b[31m"; }));
}

TEST(NamesAnswer, PlacesDoNotShareInlinedCalls) {
  NamesAnswer answer = small_names();
  answer.places[1].inlined_count = 1;
  EXPECT_FALSE(decode_names_answer(encode(answer), 2));
}

TEST(AnswerTexts, EachIsThereOnceAndLongOnesAreCut) {
  AnswerTexts texts;
  EXPECT_EQ(texts.add(""), 0U);
  EXPECT_EQ(texts.add("a"), 1U);
  EXPECT_EQ(texts.add("b"), 2U);
  EXPECT_EQ(texts.add("a"), 1U);
  EXPECT_EQ(texts.at(texts.add(std::string(50'000, 'x'))).size(), AnswerTexts::kLongestBytes);
}

}  // namespace
}  // namespace wick
