// How long source lines and inlined calls take: lines FILE [addresses]
// Prints, in CPU time, a batch of addresses spread over the file's code, and the peak of memory.
#include <elf.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>

#include "base/clock.h"
#include "base/open_regular.h"
#include "dwarf/source_lines.h"

namespace wick {
namespace {

std::vector<u64> random_addresses(const ElfFile& elf, std::size_t count) {
  std::vector<u64> out;
  const ElfSection* text = elf.section(".text");
  std::mt19937_64 random{1};  // NOLINT: the same addresses each time
  while (text != nullptr && text->size != 0 && out.size() < count)
    out.push_back(text->address + random() % text->size);
  return out;
}

long peak_kb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int measure(const std::string& path, std::size_t count) {
  auto fd = open_regular("", path);
  if (!fd) return 1;
  const auto elf = ElfFile::open(std::move(*fd));
  if (!elf) return 1;
  const auto vaddrs = random_addresses(*elf, count);
  const long before_kb = peak_kb();
  std::size_t known = 0;
  std::size_t frames_seen = 0;
  const u64 start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);  // others use the machine too
  auto lines = SourceLines::open(*elf, {.path = path, .root = {}});
  if (lines)
    lines->resolve(vaddrs, [&](std::size_t, std::span<const SourceFrame> frames) {
      known += !frames.empty();
      frames_seen += frames.size();
    });
  const u64 took = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
  fmt::print("{}: {} MB, {} addresses: {:.0f} ms, {} known, {:.1f} frames each, {} MB more{}\n",
             path, elf->bytes().size() >> 20, vaddrs.size(), static_cast<double>(took) / 1e6, known,
             known == 0 ? 0.0 : static_cast<double>(frames_seen) / static_cast<double>(known),
             (peak_kb() - before_kb) >> 10, lines && lines->damaged() ? ", damaged" : "");
  return known == 0 ? 1 : 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return wick::measure(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000);
}
