// How long symbols take, and what they cost in memory: symbols FILE…
// Prints, in CPU time, the whole table's build, look-ups one by one and in a batch, and kallsyms.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/clock.h"
#include "base/fd.h"
#include "symbols/kernel_symbols.h"
#include "symbols/object_symbols.h"
#include "symbols/symbol_table.h"

namespace wick {
namespace {

constexpr std::size_t kLookups = 100'000;

// Without mangled names turned into readable ones: that is demangle's cost, measured apart.
ObjectOptions raw_names() {
  return {.root = {}, .style = DemangleStyle::none, .debug_files = false};
}

u64 anonymous_kb() {
  const std::string status = read_file("/proc/self/status").value_or("");
  const std::size_t at = status.find("RssAnon:");
  return at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + 8, nullptr, 10);
}

template <class Work>
double cpu_ms(const Work& work) {
  const u64 start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);  // others use the machine too
  work();
  return static_cast<double>(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / 1e6;
}

// Addresses spread over the file's functions.
std::vector<u64> random_addresses(const ElfFile& elf, std::size_t count) {
  const ElfSection* table = elf.section_of_type(SHT_SYMTAB);
  if (table == nullptr) table = elf.section_of_type(SHT_DYNSYM);
  std::vector<ElfFunction> functions;
  if (table != nullptr)
    (void)for_each_function(elf, *table, [&](const ElfFunction& f) { functions.push_back(f); });
  std::vector<u64> out;
  std::mt19937_64 random{1};  // NOLINT: the same addresses each time
  while (!functions.empty() && out.size() < count) {
    const ElfFunction& f = functions[random() % functions.size()];
    out.push_back(f.start + (f.size != 0 ? random() % f.size : 0));
  }
  return out;
}

void batch(const std::string& path, std::span<const u64> some, DemangleStyle style) {
  std::vector<u64> vaddrs{some.begin(), some.end()};
  std::ranges::sort(vaddrs);
  const u64 before = anonymous_kb();
  u64 after = before;
  std::size_t named = 0;
  const double ms = cpu_ms([&] {
    auto symbols = ObjectSymbols::open(path, {.root = {}, .style = style, .debug_files = false});
    if (!symbols) return;
    symbols->resolve(vaddrs, [&](std::size_t, const Symbol& symbol) { named += symbol.found(); });
    after = anonymous_kb();
  });
  fmt::print("  batch of {:>6}{}: {:7.2f} ms, {} named, {} KB more at its end\n", vaddrs.size(),
             style == DemangleStyle::full ? ", demangled" : "           ", ms, named,
             after - before);
}

bool measure(const std::string& path) {
  auto symbols = ObjectSymbols::open(path, raw_names());
  if (!symbols) {
    fmt::print("{}\n", symbols.error().text());
    return false;
  }
  fmt::print("{}\n", path);
  std::vector<u64> vaddrs = random_addresses(symbols->elf(), kLookups);
  batch(path, std::span{vaddrs}.first(std::min<std::size_t>(1000, vaddrs.size())),
        DemangleStyle::none);
  batch(path, vaddrs, DemangleStyle::none);
  batch(path, vaddrs, DemangleStyle::full);
  if (vaddrs.empty()) return false;
  const u64 before = anonymous_kb();
  fmt::print("  whole table       : {:7.2f} ms", cpu_ms([&] { (void)symbols->find(vaddrs[0]); }));
  fmt::print(", {} KB\n", anonymous_kb() - before);
  std::size_t named = 0;
  const double ms = cpu_ms([&] {
    for (const u64 vaddr : vaddrs) named += symbols->find(vaddr).found;
  });
  fmt::print("  {} one by one : {:7.2f} ms, {} named, {} KB\n", vaddrs.size(), ms, named,
             anonymous_kb() - before);
  return named > 0;
}

void measure_kernel() {
  std::vector<u64> wanted;
  for (u64 i = 0; i < 2000; ++i) wanted.push_back(0xffffffff81000000 + i * 8192);
  std::size_t named = 0;
  bool hidden = false;
  const double ms = cpu_ms([&] {
    auto kernel = resolve_kernel_symbols(wanted);
    if (!kernel) return;
    hidden = kernel->hidden;
    named = static_cast<std::size_t>(std::ranges::count_if(kernel->symbols, &KernelSymbol::found));
  });
  fmt::print("kallsyms: 2000 addresses {:.2f} ms, {} named{}\n", ms, named,
             hidden ? ", addresses hidden" : "");
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  bool measured = true;
  for (int i = 1; i < argc; ++i) measured = wick::measure(argv[i]) && measured;
  wick::measure_kernel();
  return measured ? 0 : 1;
}
