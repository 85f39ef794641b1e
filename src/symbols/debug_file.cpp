#include "symbols/debug_file.h"

#include <fmt/format.h>

#include <elf.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

namespace wick {
namespace {

constexpr std::string_view kDebugFolder = "/usr/lib/debug";
// A checksum means reading the whole file: 0.3 s for this much.
constexpr u64 kChecksumLimit = u64{512} << 20;

std::vector<std::string> places_by_link(const std::string& name, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (path.empty() || path.front() != '/' || slash == std::string::npos) return {};
  const std::string folder = path.substr(0, slash + 1);
  return {folder + name, folder + ".debug/" + name, std::string{kDebugFolder} + folder + name};
}

bool checksum_is(const ElfFile& elf, u32 expected) {
  if (elf.bytes().size() > kChecksumLimit) return false;
  std::vector<std::byte> piece(64U << 10);
  uLong crc = 0;
  for (u64 offset = 0; offset < elf.bytes().size();) {
    const std::size_t got = elf.bytes().read_some(offset, piece);
    if (got == 0) return false;
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(got));
    offset += got;
  }
  return crc == expected;
}

// A candidate has to hold what we came for, or a stripped file could be taken for its own.
std::shared_ptr<const ElfFile> open_candidate(const ElfFile& of, const ProcessRoot& root,
                                              const std::string& path) {
  auto fd = open_offered(root, path);
  if (!fd) return nullptr;
  // Both are one to who made them: a debug file adds to what its file may cost, as far as it is
  // data.
  of.budget().admit(Budget::for_file(*fd)->real_bytes());
  auto elf = ElfFile::open(std::move(*fd), of.bytes().shared_budget());
  if (!elf || elf->section_of_type(SHT_SYMTAB) == nullptr) return nullptr;
  return std::make_shared<const ElfFile>(std::move(*elf));
}

struct Wanted {
  std::string build_id;
  std::optional<DebugLink> link;
  std::string path;
};

std::shared_ptr<const ElfFile> search(const ElfFile& elf, const Wanted& wanted,
                                      const ProcessRoot& root) {
  if (wanted.build_id.size() > 2) {
    const std::string path = fmt::format("{}/.build-id/{}/{}.debug", kDebugFolder,
                                         wanted.build_id.substr(0, 2), wanted.build_id.substr(2));
    auto found = open_candidate(elf, root, path);
    if (found && found->build_id() == wanted.build_id) return found;
  }
  if (!wanted.link) return nullptr;
  for (const std::string& place : places_by_link(wanted.link->name, wanted.path)) {
    auto found = open_candidate(elf, root, place);
    if (!found) continue;
    const std::string id = found->build_id();
    const bool both = !id.empty() && !wanted.build_id.empty();
    if (both ? id == wanted.build_id : checksum_is(*found, wanted.link->crc)) return found;
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const ElfFile> find_debug_file(const ElfFile& elf, const ProcessRoot& root,
                                               const std::string& path) {
  const Wanted wanted{elf.build_id(), elf.debug_link(), path};
  if (auto found = search(elf, wanted, root)) return found;
  return root.path.empty() ? nullptr : search(elf, wanted, root.ours());
}

}  // namespace wick
