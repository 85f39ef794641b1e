#include "tool/files/block_requests.h"

#include <array>

#include "proc/disks.h"

namespace wick {
namespace {

Result<bool> filters_tasks(const BpfObject& object) {
  for (const char* flag :
       {"filter_by_tgid", "filter_by_tid", "filter_by_uid", "filter_by_comm", "filter_by_cgroup"})
    if (*TRY(object.variable<bool>(flag))) return true;
  return *TRY(object.variable<u32>("filter_mntns")) != 0;
}

}  // namespace

Status track_requests(BpfObject& object, const RequestTracking& how) {
  const bool keep_owner = TRY(filters_tasks(object)) || how.owners;
  TRY(object.set_constant("keep_owner", keep_owner));
  TRY(object.set_constant("filter_by_disk", how.disk.has_value()));
  TRY(object.set_constant("filter_disk", how.disk.value_or(0)));
  const bool early = keep_owner || how.queue;
  bpf_program* const on_made = TRY(object.program("on_made"));
  const bool told = early && object.type_id(*object.probe(on_made)) != 0;
  bpf_program__set_autoload(on_made, told);
  bpf_program__set_autoload(TRY(object.program("on_insert")), early && !told);
  bpf_program__set_autoload(TRY(object.program("on_merge")), early);
  return {};
}

Result<std::optional<u32>> chosen_disk(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  return TRY(disk_number(*name));
}

std::string_view kind_name(u64 kind) {
  constexpr std::array<std::string_view, WICK_BLOCK_KINDS> kNames{"read", "write", "discard",
                                                                  "flush"};
  return kind < kNames.size() ? kNames[kind] : "other";
}

std::string_view kind_letter(u64 kind) {
  constexpr std::array<std::string_view, WICK_BLOCK_KINDS> kLetters{"R", "W", "D", "F"};
  return kind < kLetters.size() ? kLetters[kind] : "?";
}

std::string_view AccessPattern::of(const wick_block_request& request) {
  if (request.bytes == 0) return "?";
  const auto [end, first] = ends_.try_emplace(request.device);
  const bool follows = !first && end->second == request.sector;
  end->second = request.sector + request.bytes / 512;
  if (first) return "?";
  return follows ? "S" : "R";
}

}  // namespace wick
