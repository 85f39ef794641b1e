#include "symbols/object_symbols.h"

#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>

#include "symbols/vdso.h"
#include "tests/unit/object/elf_builder.h"

// Functions this binary is known to have.
namespace known {
[[gnu::noinline]] int twice(int value) {
  return value * 2;
}
}  // namespace known
extern "C" [[gnu::noinline]] int known_c_function(int value) {
  return known::twice(value) + 1;
}

namespace wick {
namespace {

// Where a pointer of this process lies in its executable file: by the segment that holds it.
u64 own_vaddr(const ElfFile& elf, const void* pointer) {
  const std::string maps = read_file("/proc/self/maps", 16U << 20).value_or("");
  std::size_t at = 0;
  while (at < maps.size()) {
    const std::string line = maps.substr(at, maps.find('\n', at) - at);
    at += line.size() + 1;
    unsigned long start = 0;
    unsigned long end = 0;
    unsigned long offset = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &start, &end, &offset) != 3) continue;
    const auto address = reinterpret_cast<u64>(pointer);
    if (address >= start && address < end)
      return elf.file_offset_to_vaddr(address - start + offset).value_or(0);
  }
  return 0;
}

TEST(ObjectSymbols, NamesFunctionsOfTheRunningProgram) {
  auto self = ObjectSymbols::open("/proc/self/exe", {});
  ASSERT_TRUE(self);
  EXPECT_EQ(self->source(), SymbolSource::symtab);
  const u64 cpp = own_vaddr(self->elf(), reinterpret_cast<const void*>(&known::twice));
  const u64 c = own_vaddr(self->elf(), reinterpret_cast<const void*>(&known_c_function));
  ASSERT_NE(cpp, 0U);
  EXPECT_EQ(self->find(cpp + 1).name, "known::twice(int)");
  EXPECT_EQ(self->find(cpp + 1).function_start, cpp);
  EXPECT_EQ(self->find(c).name, "known_c_function");
  EXPECT_EQ(known_c_function(20), 41);
}

TEST(ObjectSymbols, BatchAnswersInTheCallersOrderAndEachOnce) {
  auto self = ObjectSymbols::open("/proc/self/exe", {});
  ASSERT_TRUE(self);
  const u64 cpp = own_vaddr(self->elf(), reinterpret_cast<const void*>(&known::twice));
  const u64 c = own_vaddr(self->elf(), reinterpret_cast<const void*>(&known_c_function));
  const std::vector<u64> asked{c, 1, cpp, c + 1, cpp};
  std::vector<std::string> names(asked.size());
  std::vector<int> calls(asked.size());
  self->resolve(asked, [&](std::size_t i, const Symbol& symbol) {
    names[i] = symbol.name;
    ++calls[i];
  });
  EXPECT_EQ(names, (std::vector<std::string>{"known_c_function", "", "known::twice(int)",
                                             "known_c_function", "known::twice(int)"}));
  EXPECT_EQ(calls, std::vector<int>(asked.size(), 1));
}

TEST(ObjectSymbols, FileThatIsNotElfIsAnErrorWithItsPath) {
  const auto maps = ObjectSymbols::open("/proc/self/maps", {});
  ASSERT_FALSE(maps);
  EXPECT_EQ(maps.error().message, "/proc/self/maps: not an ELF file");
}

TEST(Vdso, NamesTheKernelsOwnFunctions) {
  auto vdso = vdso_symbols();
  if (!vdso) GTEST_SKIP() << vdso.error().text();
  bool found = false;
  for (u64 vaddr = 0; vaddr < 0x2000 && !found; vaddr += 8)
    found = vdso->find(vaddr).name.find("clock_gettime") != std::string::npos;
  EXPECT_TRUE(found);
}

constexpr u64 kCode = 0x1000;

ElfBuilder with_text() {
  ElfBuilder builder;
  builder.section({.name = ".text", .flags = SHF_EXECINSTR, .address = kCode}, Bytes(0x100));
  return builder;
}

Bytes file_with(std::string_view function, u32 table, std::string_view build_id,
                const ElfBuilder::Section& extra = {}, const Bytes& content = {}) {
  ElfBuilder builder = with_text();
  if (!build_id.empty())
    builder.section({.name = ".note.gnu.build-id", .type = SHT_NOTE}, build_id_note(build_id));
  if (!extra.name.empty()) builder.section(extra, content);
  builder.symbol(function, kCode, 8);
  if (table == SHT_DYNSYM) builder.symbol("exported", kCode + 8, 8);
  builder.symbol_table(table);
  return builder.build();
}

class SeparateDebugFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "rootXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const Bytes& content) const {
    std::filesystem::create_directories(std::filesystem::path{root_ + path}.parent_path());
    const Fd fd = *Fd::open(root_ + path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_TRUE(
        write_all(fd.get(), {reinterpret_cast<const char*>(content.data()), content.size()}));
  }
  [[nodiscard]] std::string name_of_first() const {
    auto symbols = ObjectSymbols::open("/bin/app", {.root = root_});
    if (!symbols) return symbols.error().text();
    return symbols->find(kCode).name;
  }

  std::string root_;
};

TEST_F(SeparateDebugFile, IsFoundByBuildId) {
  write("/bin/app", file_with("dynamic", SHT_DYNSYM, "\x12\x34\x56"));
  EXPECT_EQ(name_of_first(), "dynamic");
  write("/usr/lib/debug/.build-id/12/3456.debug", file_with("full", SHT_SYMTAB, "\x12\x34\x56"));
  EXPECT_EQ(name_of_first(), "full");
}

TEST_F(SeparateDebugFile, OfAnotherBuildIsNotUsed) {
  write("/bin/app", file_with("dynamic", SHT_DYNSYM, "\x12\x34\x56"));
  write("/usr/lib/debug/.build-id/12/3456.debug", file_with("other", SHT_SYMTAB, "\x77\x77\x77"));
  EXPECT_EQ(name_of_first(), "dynamic");
}

// The process names the place, its user may not read it.
TEST_F(SeparateDebugFile, OfSomebodyElseIsNotReadForTheProcess) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another user";
  const std::string id = "\x12\x34\x56";
  write("/bin/app", file_with("dynamic", SHT_DYNSYM, id, {.name = ".gnu_debuglink"},
                              to_bytes({"app.debug\0\0\0\0\0\0\0", 16})));
  write("/bin/app.debug", file_with("secret", SHT_SYMTAB, id));
  std::filesystem::permissions(root_, std::filesystem::perms{0755});
  ProcessRoot ours;
  ours.user = nobody();
  const auto name = [&] {
    auto fd = Fd::open(root_ + "/bin/app");
    auto symbols = ObjectSymbols::from_fd(std::move(*fd), root_ + "/bin/app", {.root = ours});
    return symbols->find(kCode).name;
  };
  EXPECT_EQ(name(), "dynamic");
  std::filesystem::permissions(root_ + "/bin/app.debug", std::filesystem::perms{0644});
  EXPECT_EQ(name(), "secret");
}

TEST_F(SeparateDebugFile, IsFoundByLinkWhenItsChecksumAgrees) {
  const Bytes debug = file_with("full", SHT_SYMTAB, "");
  const uLong crc =
      ::crc32(0, reinterpret_cast<const Bytef*>(debug.data()), static_cast<uInt>(debug.size()));
  Bytes link = to_bytes({"app.debug\0\0\0", 12});
  append_raw(link, static_cast<u32>(crc));
  write("/bin/app", file_with("dynamic", SHT_DYNSYM, "", {.name = ".gnu_debuglink"}, link));
  for (const char* place : {"/bin/", "/bin/.debug/", "/usr/lib/debug/bin/"}) {
    write(std::string{place} + "app.debug", debug);
    EXPECT_EQ(name_of_first(), "full") << place;
    write(std::string{place} + "app.debug", file_with("stale", SHT_SYMTAB, ""));
    EXPECT_EQ(name_of_first(), "dynamic") << place;
  }
}

TEST(ObjectSymbols, MiniDebugInfoIsMergedWithDynamicSymbols) {
  const Bytes inner = file_with("hidden", SHT_SYMTAB, "");
  Bytes packed(::lzma_stream_buffer_bound(inner.size()));
  std::size_t size = 0;
  ASSERT_EQ(::lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const uint8_t*>(inner.data()),
                inner.size(), reinterpret_cast<uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  ElfBuilder outer = with_text();
  outer.section({.name = ".gnu_debugdata"}, packed);
  outer.symbol("exported", kCode + 8, 8);
  outer.symbol_table(SHT_DYNSYM);
  auto symbols = ObjectSymbols::from_elf(*ElfFile::from_bytes(outer.build()), {});
  EXPECT_EQ(symbols.source(), SymbolSource::mini_debug_info);
  EXPECT_EQ(symbols.find(kCode).name, "hidden");
  EXPECT_EQ(symbols.find(kCode + 8).name, "exported");
}

TEST(ObjectSymbols, ADebugFileThatIsNotHereIsAskedFor) {
  const std::string id = "0123456789";
  std::string asked;
  const ObjectOptions options{
      .fetch_debug_file = [&](const std::string& build_id) -> std::shared_ptr<const ElfFile> {
        asked = build_id;
        return std::make_shared<const ElfFile>(
            *ElfFile::from_bytes(file_with("hidden", SHT_SYMTAB, id)));
      }};
  auto symbols =
      ObjectSymbols::from_elf(*ElfFile::from_bytes(file_with("exported", SHT_DYNSYM, id)), options);
  EXPECT_EQ(symbols.source(), SymbolSource::debug_file);
  EXPECT_EQ(symbols.find(kCode).name, "hidden");
  EXPECT_EQ(asked, symbols.elf().build_id());
  auto whole =
      ObjectSymbols::from_elf(*ElfFile::from_bytes(file_with("own", SHT_SYMTAB, id)), options);
  EXPECT_EQ(whole.source(), SymbolSource::symtab);
}

TEST(ObjectSymbols, VersionIsNoPartOfAName) {
  ElfBuilder builder = with_text();
  builder.symbol("memcpy@@GLIBC_2.14", kCode, 8);
  builder.symbol_table(SHT_SYMTAB);
  auto symbols = ObjectSymbols::from_elf(*ElfFile::from_bytes(builder.build()), {});
  EXPECT_EQ(symbols.find(kCode).name, "memcpy");
}

TEST(ObjectSymbols, TableWithoutNamesCountsAsDamaged) {
  ElfBuilder builder = with_text();
  builder.section({.name = ".symtab", .type = SHT_SYMTAB}, Bytes(2 * sizeof(Elf64_Sym)));
  auto symbols = ObjectSymbols::from_elf(*ElfFile::from_bytes(builder.build()), {});
  EXPECT_FALSE(symbols.find(kCode).found);
  EXPECT_TRUE(symbols.damaged());
}

// A static program: its only stubs lead to what IFUNC resolvers chose.
TEST(ObjectSymbols, IfuncStubHasTheNameOfItsResolver) {
  ElfBuilder builder = with_text();
  Bytes stub = to_bytes("\xff\x25");  // jmp *slot(%rip)
  append_raw(stub, u32{0x3000 - 0x2006});
  stub.resize(16);
  builder.section({.name = ".plt", .flags = SHF_EXECINSTR, .address = 0x2000}, stub);
  Bytes relocation;
  append_raw(relocation, Elf64_Rela{0x3000, R_X86_64_IRELATIVE, kCode});
  builder.section({.name = ".rela.plt", .type = SHT_RELA}, relocation);
  builder.symbol("strlen", kCode, 8, 1, STT_GNU_IFUNC);
  builder.symbol_table(SHT_SYMTAB);
  auto symbols = ObjectSymbols::from_elf(*ElfFile::from_bytes(builder.build()), {});
  EXPECT_EQ(symbols.find(0x2004).name, "strlen@plt");
  EXPECT_EQ(symbols.find(kCode).name, "strlen");
  auto again = ObjectSymbols::from_elf(*ElfFile::from_bytes(builder.build()), {});
  const std::vector<u64> asked{0x2004};
  again.resolve(asked, [](std::size_t, const Symbol& symbol) {
    EXPECT_EQ(symbol.name, "strlen@plt");
    EXPECT_EQ(symbol.function_start, 0x2000U);
  });
}

}  // namespace
}  // namespace wick
