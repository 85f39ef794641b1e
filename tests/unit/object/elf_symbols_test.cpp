#include "object/elf_symbols.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf_builder.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr u64 kText = 0x1000;

ElfBuilder with_text() {
  ElfBuilder builder;
  builder.section({.name = ".text", .flags = SHF_EXECINSTR, .address = kText}, Bytes(0x100));
  builder.section({.name = ".data", .address = 0x4000}, Bytes(0x100));
  return builder;
}

std::vector<u64> function_starts(const Bytes& image) {
  const auto elf = ElfFile::from_view(image);
  std::vector<u64> starts;
  EXPECT_TRUE(for_each_function(*elf, *elf->section_of_type(SHT_SYMTAB),
                                [&](const ElfFunction& f) { starts.push_back(f.start); }));
  return starts;
}

TEST(ElfSymbols, FunctionsAndLabelsInCodeAreKept) {
  ElfBuilder builder = with_text();
  builder.symbol("function", kText, 16);
  builder.symbol("chosen_at_run_time", kText + 16, 16, 1, STT_GNU_IFUNC);
  builder.symbol("label", kText + 32, 0, 1, STT_NOTYPE, STB_LOCAL);
  builder.symbol_table(SHT_SYMTAB);
  EXPECT_THAT(function_starts(builder.build()), ElementsAre(kText, kText + 16, kText + 32));
}

TEST(ElfSymbols, DataFilesSectionsAndTheUndefinedAreSkipped) {
  ElfBuilder builder = with_text();
  builder.symbol("object", 0x4000, 8, 2, STT_OBJECT);
  builder.symbol("label_in_data", 0x4008, 0, 2, STT_NOTYPE);
  builder.symbol("file.c", kText, 0, SHN_ABS, STT_FILE);
  builder.symbol("section", kText, 0, 1, STT_SECTION);
  builder.symbol("elsewhere", kText, 0, SHN_UNDEF);
  builder.symbol("at_zero", 0, 8);
  builder.symbol_table(SHT_SYMTAB);
  EXPECT_THAT(function_starts(builder.build()), IsEmpty());
}

TEST(ElfSymbols, TableBeyondTheEndIsAnError) {
  ElfBuilder builder = with_text();
  builder.symbol_table(SHT_SYMTAB);
  const Bytes image = builder.build();
  const auto elf = ElfFile::from_view(image);
  ElfSection table = *elf->section_of_type(SHT_SYMTAB);
  table.size = ~u64{0};
  EXPECT_FALSE(for_each_function(*elf, table, [](const ElfFunction&) {}));
}

// A file with three imports: one called by a stub of .plt.sec whose lazy half is in .plt, one by a
// stub of .plt.got, and one IFUNC of its own.
class PltFile {
 public:
  PltFile() {
    builder_.symbol("", 0, 0);  // so that the imports are numbers 2 and 3
    builder_.symbol("memcpy", 0, 0, SHN_UNDEF);
    builder_.symbol("write", 0, 0, SHN_UNDEF);
    builder_.section({.name = ".plt", .flags = SHF_EXECINSTR, .address = 0x1000}, lazy_stubs());
    builder_.section({.name = ".plt.sec", .flags = SHF_EXECINSTR, .address = 0x1100},
                     stub(0x1100, 0x3018));
    builder_.section({.name = ".plt.got", .flags = SHF_EXECINSTR, .address = 0x1200},
                     join(stub(0x1200, 0x3ff0), stub(0x1210, 0x3020)));
    builder_.symbol_table(SHT_DYNSYM);
    builder_.section({.name = ".rela.plt", .type = SHT_RELA},
                     join(relocation(0x3018, 2, R_X86_64_JUMP_SLOT),
                          relocation(0x3020, 0, R_X86_64_IRELATIVE, 0x2000)));
    builder_.section({.name = ".rela.dyn", .type = SHT_RELA},
                     relocation(0x3ff0, 3, R_X86_64_GLOB_DAT));
  }

  Bytes build() { return builder_.build(); }

 private:
  static Bytes join(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  static Bytes stub(u64 at, u64 slot) {
    Bytes code = to_bytes("\xf3\x0f\x1e\xfa\xff\x25");  // endbr64; jmp *slot(%rip)
    append_raw(code, static_cast<u32>(slot - (at + 10)));
    code.resize(16, std::byte{0x90});
    return code;
  }
  static Bytes lazy_stubs() {
    Bytes code = to_bytes("\xff\x35");  // the first pushes the object and is nobody's
    code.resize(16);
    const Bytes push = to_bytes({"\xf3\x0f\x1e\xfa\x68\0\0\0\0", 9});  // endbr64; push $0
    code.insert(code.end(), push.begin(), push.end());
    code.resize(32);
    return code;
  }
  static Bytes relocation(u64 slot, u64 symbol, u64 type, i64 addend = 0) {
    Bytes out;
    append_raw(out, Elf64_Rela{slot, symbol << 32 | type, addend});
    return out;
  }

  ElfBuilder builder_;
};

struct NamedStub {
  u64 start;
  std::string name;
  u64 resolver;
  bool operator==(const NamedStub&) const = default;
};

TEST(Plt, StubsAreNamedByTheSlotTheyJumpThrough) {
  const Bytes image = PltFile{}.build();
  const auto elf = ElfFile::from_view(image);
  ASSERT_TRUE(elf);
  const ElfSection* strings = names_of(*elf, *elf->section_of_type(SHT_DYNSYM));
  ASSERT_NE(strings, nullptr);
  const Bytes text = *elf->read_section(*strings);
  std::vector<NamedStub> stubs;
  EXPECT_TRUE(for_each_plt_stub(*elf, [&](const PltStub& stub) {
    stubs.push_back(
        {stub.start, reinterpret_cast<const char*>(text.data()) + stub.name, stub.resolver});
  }));
  EXPECT_THAT(stubs, UnorderedElementsAre(NamedStub{0x1010, "memcpy", 0},   // the lazy half
                                          NamedStub{0x1100, "memcpy", 0},   // .plt.sec
                                          NamedStub{0x1200, "write", 0},    // .plt.got
                                          NamedStub{0x1210, "", 0x2000}));  // the IFUNC's
}

TEST(Plt, ThousandsOfSectionsOverTheSameBytesAreReadOnce) {
  ElfBuilder builder;
  for (int i = 0; i < 20'000; i++) {
    builder.section({.name = ".plt", .flags = SHF_EXECINSTR, .address = 0x1000}, {});
    builder.section({.name = ".rela.plt", .type = SHT_RELA}, {});
  }
  Bytes image = builder.build();
  Elf64_Ehdr header{};
  std::memcpy(&header, image.data(), sizeof(header));
  Bytes code;
  for (int i = 0; i < 512; i++)
    for (const int byte : {0xff, 0x25, 0, 0, 0, 0, 0x66, 0x90})
      code.push_back(static_cast<std::byte>(byte));
  const u64 code_at = image.size();
  image.insert(image.end(), code.begin(), code.end());
  for (int i = 1; i <= 40'000; i++) {
    std::byte* at = image.data() + header.e_shoff + static_cast<u64>(i) * sizeof(Elf64_Shdr);
    Elf64_Shdr section{};
    std::memcpy(&section, at, sizeof(section));
    section.sh_offset = code_at;
    section.sh_size = code.size();
    std::memcpy(at, &section, sizeof(section));
  }
  const auto elf = ElfFile::from_view(image);
  ASSERT_TRUE(elf);
  const u64 before = elf->budget().used(Cost::read);
  std::ignore = for_each_plt_stub(*elf, [](const PltStub&) {});
  EXPECT_EQ(elf->budget().used(Cost::stubs), 512U);
  EXPECT_LE(elf->budget().used(Cost::read) - before, 2 * code.size());
}

TEST(ElfFile, ASectionThatIsLoadedIsNotUnpacked) {
  ElfBuilder builder;
  builder.section({.name = ".eh_frame", .flags = SHF_ALLOC | SHF_COMPRESSED}, Bytes(64));
  const auto elf = ElfFile::from_bytes(builder.build());
  const auto bytes = elf->read_section(*elf->section(".eh_frame"));
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().message, "section .eh_frame: loaded and compressed");
}

TEST(ElfFile, HolesAreNotReadForEver) {
  const Fd fd{::memfd_create("sparse", MFD_CLOEXEC)};
  const Bytes image = with_text().build();
  ASSERT_TRUE(write_all(fd.get(), {reinterpret_cast<const char*>(image.data()), image.size()}));
  ASSERT_EQ(::ftruncate(fd.get(), off_t{8} << 30), 0);
  const auto elf = ElfFile::open(Fd{::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)});
  ASSERT_TRUE(elf);
  ElfSection hole{.name = ".symtab", .type = SHT_SYMTAB, .offset = 1 << 20, .size = u64{4} << 30};
  EXPECT_FALSE(for_each_function(*elf, hole, [](const ElfFunction&) {}));
  EXPECT_EQ(elf->budget().refused(), Cost::read);
  EXPECT_LE(elf->budget().used(Cost::read), u64{33} << 20);
}

}  // namespace
}  // namespace wick
