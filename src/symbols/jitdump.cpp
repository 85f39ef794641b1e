#include "symbols/jitdump.h"

#include <algorithm>
#include <bit>

#include "base/text.h"

namespace wick {
namespace {

constexpr u32 kMagic = 0x4A695444;  // "JiTD"
constexpr u32 kVersion = 1;
constexpr u64 kHeaderBytes = 40;
constexpr u64 kArchTimestamp = 1;  // flag of the header
constexpr u64 kRecordHeadBytes = 16;
enum : u32 { kLoad = 0, kMove = 1 };

// As far into a record as a name may reach.
constexpr std::size_t kLookBytes = 2048;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
// Small records without end would keep us for ever.
constexpr u64 kMaxRecords = u64{1} << 22;
constexpr std::size_t kMaxIndices = std::size_t{1} << 19;

}  // namespace

bool is_jitdump_path(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with("jit-") || !name.ends_with(".dump")) return false;
  name = name.substr(4);
  return parse_number<u32>(take_until(name, '.')).has_value() && name == "dump";
}

// What is there from `offset`, up to kLookBytes. Records are small and many: read by blocks.
std::span<const std::byte> Jitdump::look_at(const ByteSource& bytes, u64 offset) {
  const u64 wanted = std::min<u64>(kLookBytes, bytes.size() - offset);
  if (offset < block_start_ || offset + wanted > block_start_ + block_.size()) {
    block_.resize(kBlockBytes);
    block_.resize(bytes.read_some(offset, block_));
    block_start_ = offset;
  }
  return std::span(block_)
      .subspan(offset - block_start_)
      .first(std::min<u64>(wanted, block_.size() - (offset - block_start_)));
}

Status Jitdump::read_header(const ByteSource& bytes) {
  ByteReader in{look_at(bytes, 0)};
  const u32 magic = in.fixed<u32>();
  const u32 version = in.fixed<u32>();
  const u32 size = in.fixed<u32>();
  in.skip(3 * sizeof(u32) + sizeof(u64));  // machine, padding, PID, time
  const u64 flags = in.fixed<u64>();
  if (magic == std::byteswap(kMagic)) return fail("a jitdump of the other byte order");
  if (!in.ok() || magic != kMagic) return fail("not a jitdump");
  if (version != kVersion)
    return fail("a jitdump of version " + std::to_string(version) + ", known is 1");
  if (size < kHeaderBytes) return fail("a jitdump with a header too short");
  other_clock_ = (flags & kArchTimestamp) != 0;
  offset_ = size;
  return {};
}

Status Jitdump::read_more(const ByteSource& bytes) {
  const Budget::Turn turn{bytes.budget()};
  block_.clear();
  if (offset_ == 0) TRY(read_header(bytes));
  while (bytes.contains(offset_, kRecordHeadBytes)) {
    const std::span<const std::byte> seen = look_at(bytes, offset_);
    ByteReader in{seen};
    const u32 kind = in.fixed<u32>();
    const u32 size = in.fixed<u32>();
    const u64 time_ns = in.fixed<u64>();
    if (!in.ok()) return fail("the jitdump could not be read");
    if (size < kRecordHeadBytes) return fail("a record of the jitdump is shorter than its head");
    if (!bytes.contains(offset_, size)) break;
    if (records_++ >= kMaxRecords) return fail("the jitdump has more records than are read");
    if (!bytes.budget().spend(Cost::steps, 16)) return fail(bytes.budget().cause());
    ByteReader record = in.take(std::min<u64>(size, seen.size()) - kRecordHeadBytes);
    if (kind == kLoad) load(record, other_clock_ ? 0 : time_ns);
    if (kind == kMove) move(record, other_clock_ ? 0 : time_ns);
    offset_ += size;
  }
  return {};
}

void Jitdump::load(ByteReader record, u64 time_ns) {
  record.skip(2 * sizeof(u32) + sizeof(u64));  // PID, TID, vma
  const u64 address = record.fixed<u64>();
  const u64 size = record.fixed<u64>();
  const u64 index = record.fixed<u64>();
  if (!record.ok()) return;
  const std::span<const std::byte> rest = record.rest();
  const std::string_view name = fixed_text(reinterpret_cast<const char*>(rest.data()), rest.size());
  if (name.empty()) return;
  names_.add({.start = address, .size = size, .time_ns = time_ns}, name);
  if (by_index_.size() >= kMaxIndices) by_index_.clear();
  by_index_[index] = names_.last_added();
}

void Jitdump::move(ByteReader record, u64 time_ns) {
  record.skip(2 * sizeof(u32) + sizeof(u64));
  const u64 from = record.fixed<u64>();
  const u64 to = record.fixed<u64>();
  const u64 size = record.fixed<u64>();
  const u64 index = record.fixed<u64>();
  const auto found = by_index_.find(index);
  if (!record.ok() || found == by_index_.end()) return;
  const std::string name{names_.name_of(found->second)};
  names_.add({.start = from, .size = size, .time_ns = time_ns}, {});
  if (name.empty()) return;
  names_.add({.start = to, .size = size, .time_ns = time_ns}, name);
  found->second = names_.last_added();
}

}  // namespace wick
