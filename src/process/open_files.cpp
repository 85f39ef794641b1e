#include "process/open_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace wick {
namespace {

struct FileStamp {
  u64 bytes = 0;
  u64 changed_ns = 0;
};

FileStamp stamp_of(const Fd& fd) {
  struct stat file{};
  if (::fstat(fd.get(), &file) != 0) return {};
  return {.bytes = static_cast<u64>(file.st_size),
          .changed_ns = static_cast<u64>(file.st_mtim.tv_sec) * kNanosPerSecond +
                        static_cast<u64>(file.st_mtim.tv_nsec)};
}

}  // namespace

const OpenFile* OpenFiles::find(FileId id) const {
  const auto found = files_.find(id);
  return found == files_.end() ? nullptr : &found->second.file;
}

const OpenFile* OpenFiles::use(FileId id, u64 now_ns) {
  const auto found = files_.find(id);
  if (found == files_.end()) return nullptr;
  found->second.used_ns = std::max(found->second.used_ns, now_ns);
  return &found->second.file;
}

bool OpenFiles::has_room() {
  if (files_.size() < limit_) return true;
  if (all_needed_) return false;
  // A quarter: one at a time would look at all the others each time.
  close_idle(limit_ / 4 + 1);
  all_needed_ = files_.size() >= limit_;
  return !all_needed_;
}

const OpenFile* OpenFiles::add(FileId id, MappedFile file, u64 now_ns) {
  if (!has_room()) return nullptr;
  const FileStamp stamp = stamp_of(file.fd);
  Entry& entry = files_[id];
  entry = {.file = {.fd = std::move(file.fd),
                    .bytes = stamp.bytes,
                    .changed_ns = stamp.changed_ns,
                    .root = std::move(file.root)},
           .used_ns = now_ns};
  return &entry.file;
}

bool OpenFiles::was_used_since(FileId id, u64 time_ns) const {
  const auto found = files_.find(id);
  return found != files_.end() && found->second.used_ns >= time_ns;
}

bool OpenFiles::has_changed(FileId id) const {
  const OpenFile* open = find(id);
  if (open == nullptr) return false;
  const FileStamp now = stamp_of(open->fd);
  return now.bytes != open->bytes || now.changed_ns != open->changed_ns;
}

std::vector<std::pair<u64, FileId>> OpenFiles::idle() const {
  std::vector<std::pair<u64, FileId>> out;
  for (const auto& [id, entry] : files_)
    if (entry.used_ns < horizon_ns_) out.emplace_back(entry.used_ns, id);
  return out;
}

void OpenFiles::close_idle(std::size_t count) {
  auto oldest_first = idle();
  count = std::min(count, oldest_first.size());
  const auto kept = oldest_first.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(oldest_first, kept);
  for (auto at = oldest_first.begin(); at != kept; ++at) files_.erase(at->second);
}

void OpenFiles::forget_before(u64 time_ns, std::size_t idle_limit) {
  horizon_ns_ = time_ns;
  all_needed_ = false;
  if (const std::size_t count = idle().size(); count > idle_limit) close_idle(count - idle_limit);
}

void OpenFiles::keep_only(const std::function<bool(FileId)>& is_needed) {
  std::erase_if(files_, [&](const auto& file) { return !is_needed(file.first); });
  all_needed_ = false;
}

}  // namespace wick
