#include "tool/paths/path_names.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <random>
#include <utility>

#include "base/text.h"
#include "bpf/abi/paths.h"

namespace wick {
namespace {

constexpr std::size_t kMostBytes = 8U << 20U;
constexpr std::size_t kEntryBytes = 128;  // what an entry takes beside its text
constexpr std::size_t kHeadBytes = offsetof(wick_path, names);

const FileName kUnknown{.path = "[unknown]", .base = "[unknown]"};

// Of what lies in no directory, as /proc names it.
std::string loose_path(const wick_path& head, const std::string& name) {
  if (S_ISFIFO(head.mode)) return fmt::format("pipe:[{}]", head.inode);
  if (S_ISSOCK(head.mode)) return fmt::format("socket:[{}]", head.inode);
  if (S_ISREG(head.mode)) return fmt::format("/{} (deleted)", name);
  return fmt::format("anon_inode:{}", name);
}

// "c\0b\0a\0" is "/a/b/c".
std::string joined(std::string_view names, bool is_rooted) {
  std::string out;
  while (!names.empty()) {
    names.remove_suffix(1);
    const std::size_t before = names.rfind('\0');
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    if (is_rooted || !out.empty()) out += '/';
    out += names.substr(start);
    names = names.substr(0, start);
  }
  if (is_rooted) return out.empty() ? "/" : out;
  return "…/" + out;
}

FileName name_of(const wick_path& head, std::string_view names) {
  FileName out{.mode = head.mode};
  out.base = names.substr(0, names.find('\0'));
  if ((head.flags & WICK_PATH_LOOSE) != 0) {
    out.path = loose_path(head, out.base);
    out.is_loose = true;
    if (!S_ISREG(head.mode)) out.base = out.path;
    return out;
  }
  const bool is_rooted = (head.flags & WICK_PATH_ROOTED) != 0;
  out.path = joined(names, is_rooted);
  out.is_cut = !is_rooted;
  if (names.empty()) out.base = out.path;
  if ((head.flags & WICK_PATH_DELETED) != 0) out.path += " (deleted)";
  return out;
}

}  // namespace

char FileName::type_letter() const {
  return S_ISREG(mode) ? 'R' : S_ISSOCK(mode) ? 'S' : 'O';
}

std::string_view FileName::rooted_path() const {
  return is_loose || is_cut || !path.starts_with('/') ? std::string_view{} : path;
}

std::optional<ToldPath> told_path(std::span<const std::byte> record) {
  wick_path head;
  if (record.size() < kHeadBytes) return std::nullopt;
  std::memcpy(&head, record.data(), kHeadBytes);
  if (head.bytes > record.size() - kHeadBytes) return std::nullopt;
  const std::string_view names{reinterpret_cast<const char*>(record.data()) + kHeadBytes,
                               head.bytes};
  if (!names.empty() && names.back() != '\0') return std::nullopt;
  return ToldPath{.id = head.id, .name = name_of(head, names)};
}

u64 PathNames::random_seed() {
  std::random_device random;
  return u64{random()} << 32U | random();
}

Status PathNames::set_constants(BpfObject& object) {
  if (!object.has_variable("path_seed")) return {};
  return object.set_constant("path_seed", random_seed());
}

Status PathNames::open(const BpfObject& object) {
  const bpf_map* paths = object.find_map("path_ring");
  if (paths == nullptr) return {};
  lost_in_kernel_ = TRY(object.variable<u64>("paths_lost"));
  ring_ = TRY(Ring::open(paths));
  return {};
}

Status PathNames::poll() {
  if (!ring_) return {};
  lost_ = std::atomic_ref(*lost_in_kernel_).load(std::memory_order_relaxed);
  const Ring::Take take = [this](std::span<const std::byte> record) {
    if (auto told = told_path(record)) add(std::move(*told));
  };
  // Once: what comes meanwhile has time until the next poll.
  TRY(ring_->read(take));
  return {};
}

void PathNames::add(ToldPath told) {
  const std::size_t size = told.name.path.size() + told.name.base.size() + kEntryBytes;
  if (bytes_ + size > kMostBytes) {
    older_ = std::exchange(names_, {});
    bytes_ = 0;
  }
  if (told.name.is_cut && find(told.id) == nullptr) cut_++;
  if (names_.insert_or_assign(told.id, std::move(told.name)).second) bytes_ += size;
}

const FileName* PathNames::find(u64 id) {
  if (const auto at = names_.find(id); at != names_.end()) return &at->second;
  if (const auto at = older_.find(id); at != older_.end()) return &at->second;
  return nullptr;
}

const FileName& PathNames::of(u64 id) {
  if (const FileName* name = find(id)) return *name;
  if (id == 0 || !poll()) return kUnknown;
  const FileName* name = find(id);
  return name != nullptr ? *name : kUnknown;
}

void PathNames::tell_losses(Session& session) const {
  if (lost_ == 0 && cut_ == 0) return;
  session.note(fmt::format("{} lost{}; {} too long and cut in front", counted(lost_, "file name"),
                           lost_ == 0 ? "" : " for want of room", with_commas(cut_)));
}

}  // namespace wick
