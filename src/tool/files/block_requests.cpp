#include "tool/files/block_requests.h"

#include <array>

#include "proc/disks.h"

namespace wick {

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
