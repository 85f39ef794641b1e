// ImageTable: the images that were sampled, under small numbers that are never used twice. Pure
// data. Used by ProcessWatch. One thread.
//
//   ImageTable images;
//   ImageId id = images.add({.pid = 7, .start_ns = s, .exec_id = 2, .seen_ns = now});
//   images.info(id).pid                         // 7
#pragma once

#include <functional>
#include <unordered_map>

#include "base/ids.h"
#include "process/image_id.h"

namespace wick {

struct ImageInfo {
  u32 pid = 0;
  u64 start_ns = 0;
  u64 exec_id = 0;
  u64 seen_ns = 0;  // first sample with user frames
  bool operator==(const ImageInfo& other) const {
    return pid == other.pid && start_ns == other.start_ns && exec_id == other.exec_id;
  }
};

// How a process was sampled, from what tells nothing about its code to what tells most.
enum class Sighting : u8 { no_code, in_kernel, in_user };

class ImageTable {
 public:
  struct Image {
    ImageInfo info;
    Sighting met = Sighting::no_code;  // at what its mappings were looked at
    u64 last_ns = 0;                   // latest sample
  };

  ImageId add(const ImageInfo& info);
  [[nodiscard]] Image& get(ImageId id) { return images_.at(id); }
  [[nodiscard]] bool contains(ImageId id) const { return images_.contains(id); }
  // Of an image that was forgotten: PID 0.
  [[nodiscard]] const ImageInfo& info(ImageId id) const;
  [[nodiscard]] std::size_t size() const { return images_.size(); }
  // How many there ever were: their numbers are 0 up to this.
  [[nodiscard]] std::size_t met() const { return met_; }

  // Forgets those without a sample since `time_ns` that have ended, and of the others all but the
  // latest `idle_limit`.
  void forget_before(u64 time_ns, std::size_t idle_limit,
                     const std::function<bool(const Image&)>& has_ended);

 private:
  struct Hash {
    std::size_t operator()(const ImageInfo& i) const noexcept {
      return (i.start_ns ^ (u64{i.pid} << 32) ^ (i.exec_id << 17)) * 0x9E3779B97F4A7C15;
    }
  };
  void remove(ImageId id);

  std::unordered_map<ImageId, Image> images_;
  std::unordered_map<ImageInfo, ImageId, Hash> by_info_;
  std::size_t met_ = 0;
};

}  // namespace wick
