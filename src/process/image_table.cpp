#include "process/image_table.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace wick {

ImageId ImageTable::add(const ImageInfo& info) {
  const auto [at, is_new] = by_info_.try_emplace(info, ImageId{met_});
  if (is_new) {
    images_.emplace(at->second, Image{.info = info});
    met_++;
  }
  Image& image = images_.at(at->second);
  image.last_ns = std::max(image.last_ns, info.seen_ns);
  return at->second;
}

const ImageInfo& ImageTable::info(ImageId id) const {
  static const ImageInfo none;
  const auto found = images_.find(id);
  return found == images_.end() ? none : found->second.info;
}

void ImageTable::remove(ImageId id) {
  const auto found = images_.find(id);
  by_info_.erase(found->second.info);
  images_.erase(found);
}

void ImageTable::forget_before(u64 time_ns, std::size_t idle_limit,
                               const std::function<bool(const Image&)>& has_ended) {
  std::vector<ImageId> ended;
  std::vector<std::pair<u64, ImageId>> idle;
  for (const auto& [id, image] : images_) {
    if (image.last_ns >= time_ns) continue;
    if (has_ended(image))
      ended.push_back(id);
    else
      idle.emplace_back(image.last_ns, id);
  }
  for (const ImageId id : ended) remove(id);
  if (idle.size() <= idle_limit) return;
  const auto kept = idle.end() - static_cast<std::ptrdiff_t>(idle_limit);
  std::ranges::nth_element(idle, kept);
  for (auto at = idle.begin(); at != kept; ++at) remove(at->second);
}

}  // namespace wick
