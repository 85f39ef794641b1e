#include "tool/lock/lock_names.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "proc/mapped_file.h"
#include "proc/maps.h"
#include "symbols/variable_names.h"

namespace wick {
namespace {

constexpr std::size_t kMaxImages = 512;
constexpr u64 kPageMask = ~u64{4095};

// How far the file's own addresses are from those of the process, by the segment this mapping is
// of.
std::optional<u64> bias_of(const ElfFile& elf, const ProcMapping& mapping) {
  for (const ElfSegment& segment : elf.segments()) {
    if (segment.type != PT_LOAD) continue;
    const u64 first = segment.offset & kPageMask;
    if (mapping.file_offset < first || mapping.file_offset - first >= segment.file_size) continue;
    return mapping.start - (segment.vaddr - segment.offset + mapping.file_offset);
  }
  return std::nullopt;
}

}  // namespace

void LockNames::watch(u32 pid) {
  const auto maps = read_maps(pid, MapsWanted::all);
  if (!maps) return;
  std::vector<Image>& images = images_[pid];
  for (const ProcMapping& mapping : maps->mappings) {
    if (!mapping.of_file() || images.size() >= kMaxImages) continue;
    const bool known = std::ranges::any_of(images, [&](const Image& image) {
      return image.inode == mapping.inode && image.path == mapping.path &&
             mapping.start >= image.start && mapping.start < image.end;
    });
    if (known) continue;
    auto opened = open_mapped_file(pid, mapping);
    if (!opened) continue;
    auto elf = ElfFile::open(std::move(opened->fd));
    if (!elf) continue;
    const auto bias = bias_of(*elf, mapping);
    if (!bias) continue;
    u64 lowest = ~u64{0}, highest = 0;
    for (const ElfSegment& segment : elf->segments()) {
      if (segment.type != PT_LOAD || segment.memory_size > ~u64{0} - segment.vaddr) continue;
      lowest = std::min(lowest, segment.vaddr & kPageMask);
      highest = std::max(highest, segment.vaddr + segment.memory_size);
    }
    images.push_back({.inode = mapping.inode,
                      .path = mapping.path,
                      .root = opened->root,
                      .elf = std::make_shared<const ElfFile>(std::move(*elf)),
                      .bias = *bias,
                      .start = *bias + lowest,
                      .end = *bias + highest});
  }
}

std::vector<std::string> LockNames::resolve(u32 pid, std::span<const u64> addresses) const {
  std::vector<std::string> out(addresses.size());
  const auto found = images_.find(pid);
  if (found == images_.end()) return out;
  for (const Image& image : found->second) {
    std::vector<u64> vaddrs;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < addresses.size(); i++) {
      if (addresses[i] < image.start || addresses[i] >= image.end || !out[i].empty()) continue;
      vaddrs.push_back(addresses[i] - image.bias);
      which.push_back(i);
    }
    if (vaddrs.empty()) continue;
    const auto names = name_variables(image.elf, {.root = image.root, .path = image.path}, vaddrs);
    for (std::size_t i = 0; i < names.size(); i++) out[which[i]] = names[i];
  }
  return out;
}

}  // namespace wick
