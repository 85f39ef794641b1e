#include "worker/table_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace wick {
namespace {

// Larger ones are seldom there twice, and reading them takes longer than it is worth.
constexpr u64 kSharedFileLimit = u64{16} << 20;
constexpr std::size_t kDigestBlock = std::size_t{256} << 10;

// Two sums with a secret.
class FileDigest {
 public:
  explicit FileDigest(const DigestSecret& secret) : a_(secret.words[0]), b_(secret.words[1]) {}
  void add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      u64 word = 0;
      const std::size_t size = std::min(bytes.size(), sizeof(word));
      std::memcpy(&word, bytes.data(), size);
      a_ = (a_ ^ word) * 0x9FB21C651E98DF25;
      a_ = a_ << 27 | a_ >> 37;
      b_ = (b_ + word) * 0xC2B2AE3D27D4EB4F;
      b_ = b_ << 31 | b_ >> 33;
      bytes = bytes.subspan(size);
    }
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}{:016x}", a_, b_); }

 private:
  u64 a_;
  u64 b_;
};

}  // namespace

DigestSecret DigestSecret::make() {
  std::random_device random;
  const auto word = [&] { return u64{random()} << 32 | random(); };
  return {{word(), word()}};
}

std::string table_identity(const ElfFile& elf, const DigestSecret& secret) {
  const std::string id = elf.build_id();
  const u64 size = elf.bytes().size();
  if (id.empty() || size > kSharedFileLimit) return {};
  FileDigest digest{secret};
  std::vector<std::byte> block(kDigestBlock);
  for (u64 at = 0; at < size;) {
    const std::size_t got = elf.bytes().read_some(at, block);
    if (got == 0) return {};
    digest.add(std::span(block).first(got));
    at += got;
  }
  return fmt::format("{} {} {}", id, size, digest.text());
}

}  // namespace wick
