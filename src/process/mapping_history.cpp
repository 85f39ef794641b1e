#include "process/mapping_history.h"

#include <algorithm>
#include <iterator>

namespace wick {
namespace {

// Of what lies deeper nothing is asked: no honest program maps code so often at one place while
// samples of it wait for their names.
constexpr std::size_t kMaxLayers = 64;
// One mapping over so many pieces makes one piece of them, so that no event costs more than this.
constexpr std::size_t kMaxCovered = 64;

bool same_place(const CodeMapping& a, const CodeMapping& b) {
  return a.start == b.start && a.end == b.end && a.file_offset == b.file_offset && a.file == b.file;
}

// A part of a mapping, as a mapping.
CodeMapping part_of(const CodeMapping& whole, u64 start, u64 end) {
  CodeMapping part = whole;
  part.file_offset += start - whole.start;
  part.start = start;
  part.end = end;
  return part;
}

const CodeMapping* layer_at(const std::vector<CodeMapping>& layers, u64 time_ns) {
  const auto after = std::ranges::upper_bound(layers, time_ns, {}, &CodeMapping::time_ns);
  return after == layers.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

void MappingHistory::split_at(u64 address) {
  auto at = pieces_.upper_bound(address);
  if (at == pieces_.begin()) return;
  --at;
  Piece& piece = at->second;
  if (at->first == address || piece.end <= address) return;
  size_ += piece.layers.size();
  pieces_.emplace_hint(std::next(at), address, Piece{piece.end, piece.layers});
  piece.end = address;
}

bool MappingHistory::covers_too_many(const CodeMapping& mapping) const {
  std::size_t count = 0;
  for (auto at = pieces_.lower_bound(mapping.start); at != pieces_.end() && at->first < mapping.end;
       ++at)
    if (++count > kMaxCovered) return true;
  return false;
}

void MappingHistory::cover(Piece& piece, const CodeMapping& mapping) {
  auto& layers = piece.layers;
  const auto after = std::ranges::upper_bound(layers, mapping.time_ns, {}, &CodeMapping::time_ns);
  // A JIT that makes its code writable and executable again tells of the same mapping each time.
  if (after != layers.begin() && same_place(*std::prev(after), mapping)) return;
  layers.insert(after, mapping);
  size_++;
  if (layers.size() <= kMaxLayers) return;
  layers.erase(layers.begin());
  size_--;
}

void MappingHistory::add(const CodeMapping& mapping) {
  if (mapping.start >= mapping.end) return;
  last_ns_ = std::max(last_ns_, mapping.time_ns);
  split_at(mapping.start);
  split_at(mapping.end);
  if (covers_too_many(mapping)) {
    const auto begin = pieces_.lower_bound(mapping.start);
    const auto end = pieces_.lower_bound(mapping.end);
    for (auto at = begin; at != end; ++at) size_ -= at->second.layers.size();
    pieces_.erase(begin, end);
  }
  u64 from = mapping.start;
  for (auto at = pieces_.lower_bound(from); from < mapping.end; ++at) {
    if (at == pieces_.end() || at->first > from) {
      const u64 end = at == pieces_.end() ? mapping.end : std::min(mapping.end, at->first);
      at = pieces_.emplace_hint(at, from, Piece{end, {mapping}});
      size_++;
    } else {
      cover(at->second, mapping);
    }
    from = at->second.end;
  }
}

void MappingHistory::drop(const std::function<bool(const CodeMapping&)>& is_dropped) {
  for (auto at = pieces_.begin(); at != pieces_.end();) {
    size_ -= std::erase_if(at->second.layers, is_dropped);
    at = at->second.layers.empty() ? pieces_.erase(at) : std::next(at);
  }
}

void MappingHistory::forget_before(u64 time_ns) {
  for (auto& [start, piece] : pieces_) {
    const CodeMapping* held = layer_at(piece.layers, time_ns);
    if (held == nullptr) continue;
    const auto covered = held - piece.layers.data();
    piece.layers.erase(piece.layers.begin(), piece.layers.begin() + covered);
    size_ -= static_cast<std::size_t>(covered);
  }
}

void MappingHistory::shrink(std::size_t limit, u64 horizon_ns) {
  if (size_ <= limit) return;
  forget_before(horizon_ns);
  if (size_ <= limit) return;
  // By quarters: one at a time would look at all the others each time.
  std::size_t dropped = size_ - limit * 3 / 4;
  std::vector<u64> times;
  times.reserve(size_);
  for (const auto& [start, piece] : pieces_)
    for (const CodeMapping& mapping : piece.layers) times.push_back(mapping.time_ns);
  const auto last = times.begin() + static_cast<std::ptrdiff_t>(dropped - 1);
  std::ranges::nth_element(times, last);
  drop([&](const CodeMapping& mapping) {
    if (mapping.time_ns > *last || dropped == 0) return false;
    dropped--;
    return true;
  });
}

std::vector<CodeMapping> MappingHistory::take_since(u64 time_ns) {
  std::vector<CodeMapping> out;
  if (last_ns_ < time_ns) return out;
  const std::vector<CodeMapping> all = until(~u64{0});
  std::ranges::copy_if(all, std::back_inserter(out),
                       [&](const CodeMapping& mapping) { return mapping.time_ns >= time_ns; });
  drop([&](const CodeMapping& mapping) { return mapping.time_ns >= time_ns; });
  last_ns_ = time_ns;
  return out;
}

const CodeMapping* MappingHistory::find(u64 address, u64 time_ns) const {
  auto at = pieces_.upper_bound(address);
  if (at == pieces_.begin()) return nullptr;
  --at;
  return address < at->second.end ? layer_at(at->second.layers, time_ns) : nullptr;
}

void MappingHistory::visit(u64 time_ns,
                           const std::function<void(const CodeMapping& piece)>& visitor) const {
  const CodeMapping* whole = nullptr;  // of which [begin, end) was seen
  u64 begin = 0;
  u64 end = 0;
  for (const auto& [start, piece] : pieces_) {
    const CodeMapping* mapping = layer_at(piece.layers, time_ns);
    if (mapping == nullptr) continue;
    const bool goes_on = whole != nullptr && start == end && *whole == *mapping;
    if (!goes_on) {
      if (whole != nullptr) visitor(part_of(*whole, begin, end));
      begin = start;
    }
    whole = mapping;
    end = piece.end;
  }
  if (whole != nullptr) visitor(part_of(*whole, begin, end));
}

std::vector<CodeMapping> MappingHistory::until(u64 time_ns) const {
  std::vector<CodeMapping> out;
  for (const auto& [start, piece] : pieces_)
    for (const CodeMapping& mapping : piece.layers)
      if (mapping.time_ns <= time_ns) out.push_back(mapping);
  std::ranges::sort(out, [](const CodeMapping& a, const CodeMapping& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.start < b.start;
  });
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

void MappingHistory::visit_files(const std::function<void(FileId)>& visitor) const {
  for (const auto& [start, piece] : pieces_)
    for (const CodeMapping& mapping : piece.layers) visitor(mapping.file);
}

std::size_t MappingHistory::bytes() const {
  constexpr std::size_t kNodeBytes = sizeof(Pieces::value_type) + 4 * sizeof(void*);
  constexpr std::size_t kHeapBytes = 16;
  return pieces_.size() * (kNodeBytes + kHeapBytes) + size_ * sizeof(CodeMapping);
}

}  // namespace wick
