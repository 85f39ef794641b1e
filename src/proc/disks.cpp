#include "proc/disks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr u32 kMinorBits = 20;
constexpr u32 kOperationBits = 8;

struct NamedBit {
  u32 bit;
  std::string_view name;
};
// In the order bcc puts them in front.
constexpr std::array kFlags{
    NamedBit{11, "Sync"},      NamedBit{12, "Metadata"},   NamedBit{17, "ForcedUnitAccess"},
    NamedBit{13, "Priority"},  NamedBit{14, "NoMerge"},    NamedBit{15, "Idle"},
    NamedBit{19, "ReadAhead"}, NamedBit{20, "Background"}, NamedBit{21, "NoWait"},
};
constexpr std::array<std::string_view, 10> kOperations{
    "Read",        "Write",     "Flush",      "Discard", "",
    "SecureErase", "ZoneReset", "ZoneAppend", "",        "WriteZeros"};

// "254:0\n"
std::optional<u32> parse_device(std::string_view text) {
  text = trim(text);
  const auto major = parse_number<u32>(take_until(text, ':'));
  const auto minor = parse_number<u32>(text);
  if (!major || !minor || *minor >= 1U << kMinorBits || *major >= 1U << (32 - kMinorBits))
    return std::nullopt;
  return *major << kMinorBits | *minor;
}

}  // namespace

Result<u32> disk_number(std::string_view name) {
  if (name.starts_with("/dev/")) name.remove_prefix(5);
  const bool is_number = parse_device(name).has_value();
  const std::string folder =
      fmt::format("/sys/{}/{}", is_number ? "dev/block" : "class/block", name);
  const bool is_plain = !name.empty() && !name.contains('/') && name != "." && name != "..";
  if (!is_plain || ::access(folder.c_str(), F_OK) != 0)
    return fail_usage(fmt::format("no disk {}", printable(name)),
                      "`ls /sys/class/block` shows them");
  const bool is_part = ::access((folder + "/partition").c_str(), F_OK) == 0;
  const std::string text = TRY(read_file(folder + (is_part ? "/../dev" : "/dev")));
  const auto number = parse_device(text);
  if (!number) return fail(fmt::format("{}/dev is not as expected", folder));
  return *number;
}

std::string disk_name(u32 number) {
  if (number == 0) return "unnamed";
  const std::string device = fmt::format("{}:{}", disk_major(number), disk_minor(number));
  std::array<char, PATH_MAX> target{};
  const ssize_t length =
      ::readlink(("/sys/dev/block/" + device).c_str(), target.data(), target.size());
  if (length <= 0) return device;
  const std::string_view path{target.data(), static_cast<std::size_t>(length)};
  return std::string{path.substr(path.rfind('/') + 1)};
}

const std::string& DiskNames::of(u32 number) {
  Known& known = known_[number];
  const u64 now_ns = monotonic_ns();
  if (!known.name.empty() && now_ns - known.looked_ns < kNanosPerSecond) return known.name;
  known.looked_ns = now_ns;
  const std::string name = disk_name(number);
  // One that is gone has only its number.
  if (known.name.empty() || !name.contains(':')) known.name = name;
  return known.name;
}

std::string request_flags_text(u32 flags) {
  const u32 operation = flags & ((1U << kOperationBits) - 1);
  const bool known = operation < kOperations.size() && !kOperations[operation].empty();
  std::string text{known ? kOperations[operation] : "Unknown"};
  for (const NamedBit& flag : kFlags)
    if ((flags >> flag.bit & 1U) != 0) text = fmt::format("{}-{}", flag.name, text);
  return text;
}

}  // namespace wick
