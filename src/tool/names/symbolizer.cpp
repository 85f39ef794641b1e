#include "tool/names/symbolizer.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "base/clock.h"
#include "dwarf/debuginfod.h"
#include "object/call_site.h"
#include "symbols/vdso.h"
#include "tool/names/found_lines.h"

namespace wick {
namespace {

constexpr std::string_view kVdsoName = "[vdso]";

Result<NamedFileIdentity> identity_of_named(const NamedFile& file) {
  if (file.path == kVdsoName) return NamedFileIdentity{};
  if (file.fd == nullptr) return fail("the file could not be opened while its process lived");
  struct stat info{};
  if (::fstat(file.fd->get(), &info) != 0) return fail_errno("stat");
  return NamedFileIdentity{.device = info.st_dev,
                           .inode = info.st_ino,
                           .bytes = static_cast<u64>(info.st_size),
                           .changed_ns = static_cast<u64>(info.st_mtim.tv_sec) * kNanosPerSecond +
                                         static_cast<u64>(info.st_mtim.tv_nsec)};
}

Result<ObjectSymbols> open_named(const NamedFile& file, const BudgetTerms& terms) {
  if (file.path == kVdsoName) return vdso_symbols();
  Fd copy{::fcntl(file.fd->get(), F_DUPFD_CLOEXEC, 0)};
  if (!copy.valid()) return fail_errno("copy a descriptor");
  return ObjectSymbols::from_fd(
      std::move(copy), file.path,
      {.root = file.root, .terms = terms, .fetch_debug_file = fetch_debug_file});
}

// Whether no call returns to an address: the walk went astray there. Moves what returns from a
// signal to where it begins.
bool is_broken_return(const ElfFile& elf, u64 file_offset, u64& vaddr) {
  const u16 machine = elf.machine();
  if (machine != EM_X86_64 && machine != EM_386) return false;
  // Addresses here are one less than what is returned to.
  const u64 returns_to = file_offset + 1;
  if (returns_to < kLongestCall) return false;
  std::array<std::byte, kLongestCall + kSignalReturnBytes> code;
  const std::size_t got = elf.bytes().read_some(returns_to - kLongestCall, code);
  if (got < kLongestCall) return false;
  const std::span read = std::span(code).first(got);
  if (ends_with_call(read.first(kLongestCall))) return false;
  if (!is_signal_return(read.subspan(kLongestCall))) return true;
  vaddr++;  // it begins right there
  return false;
}

// Somebody wants us to stop, or the whole run's time is used up: what was not found may be there.
bool was_cut_short(const Budget& budget) {
  return budget.refused() == Cost::stopped || budget.refused() == Cost::run;
}

void settle_named(const ElfFile& elf, const BudgetTerms& terms) {
  if (terms.run != nullptr) terms.run->settle(elf.budget(), elf.bytes().name());
}

}  // namespace

Result<KernelSymbols> Symbolizer::name_kernel(std::span<const u64> wanted) {
  return kernel_.resolve(wanted, monotonic_ns());
}

Result<FileFacts> Symbolizer::name(const NamedFile& file, std::span<const CodePoint> points,
                                   const BudgetTerms& terms, const Visit& visit) {
  const NamedFileIdentity identity = TRY(identity_of_named(file));
  FileNames once;
  FileNames& names = options_.cache_bytes != 0 ? cache_.use(identity) : once;
  std::vector<u32> missing;
  for (u32 i = 0; i < points.size(); i++)
    if (!names.contains(points[i])) missing.push_back(i);
  if (!missing.empty()) {
    auto symbols = open_named(file, terms);
    if (!symbols) {
      cache_.shrink();
      return std::unexpected(symbols.error());
    }
    files_read_++;
    read({.symbols = *symbols, .file = file, .points = points, .missing = missing}, names, terms,
         visit);
  }
  auto next = missing.begin();
  for (u32 i = 0; i < points.size() && missing.size() != points.size(); i++) {
    if (next != missing.end() && *next == i)
      ++next;
    else
      visit(i, *names.find(points[i]), names.facts());
  }
  const FileFacts facts = names.facts();
  cache_.shrink();
  return facts;
}

void Symbolizer::read(const Reading& reading, FileNames& names, const BudgetTerms& terms,
                      const Visit& visit) {
  ObjectSymbols& symbols = reading.symbols;
  const ElfFile& elf = symbols.elf();
  FileFacts& facts = names.facts();
  facts.build_id = elf.build_id();
  std::vector<u64> vaddrs;
  std::vector<bool> broken(reading.missing.size());
  vaddrs.reserve(reading.missing.size());
  for (const u32 position : reading.missing) {
    const CodePoint& point = reading.points[position];
    u64 vaddr = symbols.file_offset_to_vaddr(point.file_offset).value_or(point.file_offset);
    if (point.is_return) broken[vaddrs.size()] = is_broken_return(elf, point.file_offset, vaddr);
    vaddrs.push_back(vaddr);
  }
  FoundLines lines{vaddrs.size()};
  lines.find(symbols, {.path = reading.file.path, .root = reading.file.root}, vaddrs,
             options_.lines, facts);
  if (options_.lines) {
    // What was too much for lines may still have names.
    settle_named(elf, terms);
    elf.budget().begin_again();
  }
  symbols.resolve(vaddrs, [&](std::size_t i, const Symbol& symbol) {
    PointName name{.frame = lines.function(i),
                   .inlined = lines.inlined(i),
                   .vaddr = vaddrs[i],
                   .function_start = {},
                   .is_broken = broken[i]};
    if (symbol.found()) {
      name.frame.function = symbol.name;
      name.function_start = symbol.function_start;
    }
    const u32 position = reading.missing[i];
    visit(position, name, facts);
    const bool is_final = symbol.found() || !was_cut_short(elf.budget());
    if (options_.cache_bytes != 0 && is_final) names.add(reading.points[position], name);
  });
  settle_named(elf, terms);
}

}  // namespace wick
