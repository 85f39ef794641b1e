#include "tool/names/file_names.h"

namespace wick {

std::string_view bounded_name(const StringTable& strings, std::string_view name) {
  // An hour of a large C++ program has 20 MB.
  constexpr std::size_t kMaxNameBytes = std::size_t{48} << 20;
  constexpr std::size_t kShortName = 128;
  return strings.bytes() > kMaxNameBytes ? name.substr(0, kShortName) : name;
}

bool FileNames::contains(const NamePlace& point) const {
  return points_.contains(key_of(point));
}

PlaceFrame FileNames::text_of(const Frame& frame) const {
  return {.function = strings_.get(frame.function),
          .file = strings_.get(frame.file),
          .line = frame.line};
}

std::optional<PlaceName> FileNames::find(const NamePlace& point) const {
  const auto found = points_.find(key_of(point));
  if (found == points_.end()) return std::nullopt;
  const Point& known = found->second;
  PlaceName out{.frame = text_of(frames_[known.first]),
                .inlined = {},
                .vaddr = known.vaddr,
                .function_start = {},
                .is_broken = known.is_broken};
  if (known.has_start) out.function_start = known.function_start;
  for (u32 i = 1; i < known.count; i++) out.inlined.push_back(text_of(frames_[known.first + i]));
  return out;
}

void FileNames::add_frame(const PlaceFrame& frame) {
  frames_.push_back({.function = strings_.intern(bounded_name(strings_, frame.function)),
                     .file = strings_.intern(bounded_name(strings_, frame.file)),
                     .line = frame.line});
}

void FileNames::add(const NamePlace& point, const PlaceName& name) {
  Point& known = points_[key_of(point)];
  known = {.first = static_cast<u32>(frames_.size()),
           .count = static_cast<u32>(1 + name.inlined.size()),
           .vaddr = name.vaddr,
           .function_start = name.function_start.value_or(0),
           .has_start = name.function_start.has_value(),
           .is_broken = name.is_broken};
  add_frame(name.frame);
  for (const PlaceFrame& frame : name.inlined) add_frame(frame);
}

std::size_t FileNames::bytes() const {
  constexpr std::size_t kNodeBytes = sizeof(std::pair<u64, Point>) + 3 * sizeof(void*);
  constexpr std::size_t kTextBytes = sizeof(std::string_view) + 2 * sizeof(u64);
  return sizeof(*this) + strings_.bytes() + strings_.size() * kTextBytes +
         frames_.capacity() * sizeof(Frame) + points_.size() * kNodeBytes;
}

FileNames& NameCache::use(const NamedFileIdentity& file) {
  const auto found = by_identity_.find(file);
  if (found != by_identity_.end()) {
    files_.splice(files_.begin(), files_, found->second);
    return files_.front().names;
  }
  files_.emplace_front().identity = file;
  by_identity_.emplace(file, files_.begin());
  return files_.front().names;
}

// Between two calls only the latest can have grown.
void NameCache::shrink() {
  if (files_.empty()) return;
  Entry& latest = files_.front();
  bytes_ += latest.names.bytes() - latest.bytes;
  latest.bytes = latest.names.bytes();
  while (bytes_ > limit_bytes_ && !files_.empty()) {
    bytes_ -= files_.back().bytes;
    by_identity_.erase(files_.back().identity);
    files_.pop_back();
    evicted_++;
  }
}

std::size_t NameCache::bytes() const {
  return bytes_;
}

}  // namespace wick
