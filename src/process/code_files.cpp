#include "process/code_files.h"

namespace wick {
namespace {

// Memory files can be mapped at 100,000 a second, each another file.
constexpr std::size_t kMaxFiles = 131'071;

std::string key_of(const CodeFile& file) {
  return std::to_string(file.dev_major) + ":" + std::to_string(file.dev_minor) + ":" +
         std::to_string(file.inode) + " " + file.path;
}

}  // namespace

const CodeFile& CodeFiles::get(FileId id) const {
  static const CodeFile none;
  const auto found = files_.find(id);
  return found == files_.end() ? none : found->second;
}

FileId CodeFiles::number(const CodeFile& file) {
  // Numbers come round after four thousand million files; those in use are passed over.
  do last_++;
  while (last_ == 0 || files_.contains(FileId{last_}));
  met_++;
  files_.emplace(FileId{last_}, file);
  return FileId{last_};
}

FileId CodeFiles::add(const CodeFile& file) {
  if (file.path.empty()) return FileId{};
  std::string key = key_of(file);
  const auto found = by_name_.find(key);
  const bool full = files_.size() >= kMaxFiles;
  if (found == by_name_.end()) {
    if (full) return FileId{};
    return by_name_.emplace(std::move(key), number(file)).first->second;
  }
  u64& generation = files_.at(found->second).generation;
  if (generation == 0) generation = file.generation;
  if (file.generation == 0 || file.generation == generation || full) return found->second;
  // The old one was deleted, and its inode's number used again.
  return found->second = number(file);
}

void CodeFiles::renew(FileId id) {
  const auto file = files_.find(id);
  if (file == files_.end() || files_.size() >= kMaxFiles) return;
  const auto name = by_name_.find(key_of(file->second));
  if (name == by_name_.end() || name->second != id) return;
  name->second = number(CodeFile{file->second});
}

void CodeFiles::keep_only(const std::function<bool(FileId)>& is_needed) {
  std::erase_if(files_, [&](const auto& file) { return !is_needed(file.first); });
  std::erase_if(by_name_, [&](const auto& name) { return !files_.contains(name.second); });
}

}  // namespace wick
