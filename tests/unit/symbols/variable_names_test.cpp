#include "symbols/variable_names.h"

#include <gtest/gtest.h>

#include "symbols/function_finder.h"
#include "tests/unit/object/elf_builder.h"

namespace wick {
namespace {

struct TestSymbol {
  std::string name;
  unsigned char type;
  u64 value;
  u64 size;
};

std::shared_ptr<const ElfFile> file_with(u32 table_type, const std::vector<TestSymbol>& symbols) {
  ElfBuilder elf;
  for (const TestSymbol& symbol : symbols)
    elf.symbol(symbol.name, symbol.value, symbol.size, 1, symbol.type);
  elf.symbol_table(table_type);
  return std::make_shared<const ElfFile>(*ElfFile::from_bytes(elf.build()));
}

std::string name_of(const std::shared_ptr<const ElfFile>& elf, u64 vaddr) {
  return name_variables(elf, {}, std::vector<u64>{vaddr})[0];
}

TEST(VariableNames, AVariableIsNamedAndSoIsAPlaceInIt) {
  const auto elf = file_with(SHT_SYMTAB, {{"_ZN4Bank5vaultE", STT_OBJECT, 0x1000, 40}});
  EXPECT_EQ(name_of(elf, 0x1000), "Bank::vault");
  EXPECT_EQ(name_of(elf, 0x1018), "Bank::vault+0x18");
  EXPECT_EQ(name_of(elf, 0x1028), "");
  EXPECT_EQ(name_of(elf, 0xFFF), "");
}

TEST(VariableNames, FunctionsAreNoVariables) {
  const auto elf = file_with(SHT_SYMTAB, {{"run", STT_FUNC, 0x1000, 40}});
  EXPECT_EQ(name_of(elf, 0x1000), "");
}

TEST(VariableNames, OfSeveralTheSmallestIsTold) {
  const auto elf =
      file_with(SHT_DYNSYM, {{"whole", STT_OBJECT, 0x1000, 400}, {"part", STT_OBJECT, 0x1010, 40}});
  const auto names = name_variables(elf, {}, std::vector<u64>{0x1014, 0x1000, 0x1100});
  EXPECT_EQ(names, (std::vector<std::string>{"part+0x4", "whole", "whole+0x100"}));
}

TEST(VariableNames, ASizeThatWrapsAroundCoversNothingBefore) {
  const auto elf = file_with(SHT_SYMTAB, {{"huge", STT_OBJECT, 0x1000, ~u64{0}}});
  EXPECT_EQ(name_of(elf, 0xFFF), "");
  EXPECT_EQ(name_of(elf, ~u64{0}), "huge+0xffffffffffffefff");
}

TEST(FunctionFinder, EveryPlaceOfANameIsFoundOnce) {
  const auto elf = file_with(SHT_SYMTAB, {{"pthread_cond_wait@GLIBC_2.2.5", STT_FUNC, 0x1000, 10},
                                          {"pthread_cond_wait@@GLIBC_2.3.2", STT_FUNC, 0x2000, 20},
                                          {"pthread_cond_wait", STT_FUNC, 0x2000, 20},
                                          {"other", STT_FUNC, 0x3000, 10}});
  const auto found = find_functions(elf, std::vector<std::string>{"none", "pthread_cond_wait"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, 1U);
  EXPECT_EQ(found[0].vaddr, 0x1000U);
  EXPECT_EQ(found[1].vaddr, 0x2000U);
  EXPECT_EQ(found[1].size, 20U);
}

}  // namespace
}  // namespace wick
