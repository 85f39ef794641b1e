#include "symbols/symbol_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/object/elf_builder.h"

namespace wick {
namespace {

constexpr u64 kText = 0x1000;
constexpr u64 kTextSize = 0x1000;

class Table {
 public:
  Table() {
    builder_.section({.name = ".text", .flags = SHF_EXECINSTR, .address = kText}, Bytes(kTextSize));
  }
  ElfBuilder* operator->() { return &builder_; }

  SymbolTable make(std::span<const u64> wanted = {}) {
    if (!elf_) {
      builder_.symbol_table(SHT_SYMTAB);
      elf_ = std::make_shared<const ElfFile>(*ElfFile::from_bytes(builder_.build()));
    }
    SymbolTable table{wanted};
    EXPECT_TRUE(table.add_plt(elf_));
    EXPECT_TRUE(table.add(elf_, *elf_->section_of_type(SHT_SYMTAB)));
    table.finish();
    return table;
  }

 private:
  ElfBuilder builder_;
  std::shared_ptr<const ElfFile> elf_;
};

std::string name_at(SymbolTable& table, u64 vaddr) {
  const auto index = table.find(vaddr);
  if (!index) return "-";
  SymbolTable::Name name;
  table.name(*index, name);
  return name.text;
}

TEST(SymbolTable, FunctionCoversItsBytesAndNoMore) {
  Table input;
  input->symbol("a", kText + 0x10, 0x10);
  input->symbol("b", kText + 0x40, 0x10);
  SymbolTable table = input.make();
  EXPECT_EQ(name_at(table, kText + 0xf), "-");
  EXPECT_EQ(name_at(table, kText + 0x10), "a");
  EXPECT_EQ(name_at(table, kText + 0x1f), "a");
  EXPECT_EQ(name_at(table, kText + 0x20), "-");
  EXPECT_EQ(name_at(table, kText + 0x4f), "b");
  EXPECT_EQ(name_at(table, kText + 0x50), "-");
}

TEST(SymbolTable, WithoutSizeItReachesTheNextSymbolOrTheSectionsEnd) {
  Table input;
  input->symbol("a", kText + 0x10, 0, 1, STT_NOTYPE);
  input->symbol("b", kText + 0x40, 0x10);
  input->symbol("c", kText + 0x60, 0, 1, STT_NOTYPE);
  SymbolTable table = input.make();
  EXPECT_EQ(name_at(table, kText + 0x3f), "a");
  EXPECT_EQ(name_at(table, kText + 0x50), "-");
  EXPECT_EQ(name_at(table, kText + kTextSize - 1), "c");
  EXPECT_EQ(name_at(table, kText + kTextSize), "-");
}

TEST(SymbolTable, LabelInsideAFunctionDoesNotCutIt) {
  Table input;
  input->symbol("function", kText, 0x100);
  input->symbol("label", kText + 0x10, 0, 1, STT_NOTYPE, STB_LOCAL);
  SymbolTable table = input.make();
  EXPECT_EQ(name_at(table, kText + 0x20), "function");
}

TEST(SymbolTable, FunctionInsideAFunctionWinsWhereItIs) {
  Table input;
  input->symbol("outer", kText, 0x100);
  input->symbol("inner", kText + 0x10, 0x10);
  SymbolTable table = input.make();
  EXPECT_EQ(name_at(table, kText + 0x08), "outer");
  EXPECT_EQ(name_at(table, kText + 0x18), "inner");
  EXPECT_EQ(name_at(table, kText + 0x28), "outer");
}

TEST(SymbolTable, GlobalBeforeWeakBeforeLocal) {
  Table input;
  input->symbol("local", kText, 8, 1, STT_FUNC, STB_LOCAL);
  input->symbol("weak", kText, 8, 1, STT_FUNC, STB_WEAK);
  input->symbol("__global", kText, 8);
  input->symbol("local2", kText + 8, 8, 1, STT_FUNC, STB_LOCAL);
  input->symbol("weak2", kText + 8, 8, 1, STT_FUNC, STB_WEAK);
  SymbolTable table = input.make();
  EXPECT_EQ(name_at(table, kText), "__global");
  EXPECT_EQ(name_at(table, kText + 8), "weak2");
}

TEST(SymbolTable, AmongEqualsTheNameWithFewerUnderscores) {
  Table input;
  input->symbol("__libc_open", kText, 8);
  input->symbol("open", kText, 8);
  input->symbol("_open", kText, 8);
  SymbolTable table = input.make();
  EXPECT_EQ(name_at(table, kText), "open");
}

TEST(SymbolTable, SymbolWithASizeBeforeOneWithout) {
  Table input;
  input->symbol("label", kText, 0, 1, STT_NOTYPE);
  input->symbol("local", kText, 8, 1, STT_FUNC, STB_LOCAL);
  SymbolTable table = input.make();
  EXPECT_EQ(name_at(table, kText + 4), "local");
}

TEST(SymbolTable, BatchOfNamesEqualsNamesOneByOne) {
  Table input;
  for (u64 i = 0; i < 500; ++i) input->symbol("f" + std::to_string(i * 7 % 500), kText + i * 8, 8);
  input->symbol("alias", kText, 8);
  SymbolTable table = input.make();
  std::vector<u32> indices;
  indices.reserve(500);
  for (u64 i = 0; i < 500; ++i) indices.push_back(*table.find(kText + i * 8));
  std::vector<std::string> names(indices.size());
  table.names(indices, [&](std::size_t i, const SymbolTable::Name& name) { names[i] = name.text; });
  for (u64 i = 0; i < 500; ++i) EXPECT_EQ(names[i], name_at(table, kText + i * 8));
}

// The filter may drop what cannot matter, and nothing else.
TEST(SymbolTable, FilteredTableAnswersAsTheWholeOne) {
  std::mt19937 random{7};  // NOLINT: the same each time
  Table input;
  for (int i = 0; i < 3000; ++i)
    input->symbol("f" + std::to_string(i), kText + random() % kTextSize,
                  random() % 3 == 0 ? 0 : random() % 12, 1, STT_FUNC,
                  static_cast<unsigned>(random() % 3));
  SymbolTable whole = input.make();
  std::vector<u64> wanted;
  wanted.reserve(40);
  for (int i = 0; i < 40; ++i) wanted.push_back(kText + random() % kTextSize);
  std::ranges::sort(wanted);
  SymbolTable filtered = input.make(wanted);
  EXPECT_LT(filtered.size(), whole.size() / 4);
  for (const u64 vaddr : wanted) EXPECT_EQ(name_at(filtered, vaddr), name_at(whole, vaddr));
  filtered.find_sorted(wanted, [&](std::size_t i, std::optional<u32> index) {
    EXPECT_EQ(index, filtered.find(wanted[i]));
  });
}

TEST(NameSource, NameBeyondTheStringsIsNone) {
  ElfBuilder builder;
  builder.symbol_table(SHT_SYMTAB);
  const auto elf = std::make_shared<const ElfFile>(*ElfFile::from_bytes(builder.build()));
  NameSource names{elf, *elf->section(".strtab")};
  std::string text = "old";
  EXPECT_FALSE(names.read(1000, text));
  EXPECT_FALSE(names.read_next(1000, text));
  EXPECT_FALSE(NameSource{}.read(0, text));
}

TEST(NameSource, NamesReadTheSameBeforeAndAfterTheSectionIsLoaded) {
  ElfBuilder builder;
  std::vector<u32> offsets;
  offsets.reserve(1000);
  for (int i = 0; i < 1000; ++i) offsets.push_back(builder.name("name" + std::to_string(i)));
  const u32 long_name = builder.name(std::string(1000, 'x'));
  builder.symbol_table(SHT_SYMTAB);
  const auto elf = std::make_shared<const ElfFile>(*ElfFile::from_bytes(builder.build()));
  NameSource names{elf, *elf->section(".strtab")};
  std::string text;
  EXPECT_TRUE(names.read(long_name, text));
  EXPECT_EQ(text.size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(names.read(offsets[i], text));
    EXPECT_EQ(text, "name" + std::to_string(i));
  }
}

}  // namespace
}  // namespace wick
