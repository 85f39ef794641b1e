#include "formats/firefox/firefox_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wick {
namespace {

constexpr std::size_t kGuidDigits = 32;

// The order of a GUID's bytes: its first three fields are little-endian numbers.
constexpr std::array<std::size_t, kGuidDigits / 2> kGuidBytes{3, 2, 1,  0,  5,  4,  7,  6,
                                                              8, 9, 10, 11, 12, 13, 14, 15};

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace

// Colours are the profiler's own words; the first grey one is its default.
std::string_view firefox_categories() {
  return R"([{"name":"Other","color":"grey","subcategories":["Other"]},)"
         R"({"name":"User","color":"yellow","subcategories":["Other"]},)"
         R"({"name":"Kernel","color":"orange","subcategories":["Other"]},)"
         R"({"name":"JIT","color":"blue","subcategories":["Other"]},)"
         R"({"name":"Waker","color":"purple","subcategories":["Other"]},)"
         R"({"name":"Waiting","color":"lightblue","subcategories":["Other"]}])";
}

u32 firefox_category(FrameKind kind) {
  switch (kind) {
    case FrameKind::user:
    case FrameKind::inlined:
      return 1;
    case FrameKind::kernel:
      return 2;
    case FrameKind::jit:
      return 3;
    case FrameKind::waker:
      return 4;
    case FrameKind::waiting:
      return 5;
    case FrameKind::note:
      return 0;
  }
  return 0;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string breakpad_id(std::string_view build_id) {
  if (build_id.empty() || !std::ranges::all_of(build_id, is_hex)) return {};
  std::string padded{build_id};
  padded.resize(std::max(padded.size(), kGuidDigits), '0');
  std::string out;
  for (const std::size_t byte : kGuidBytes) {
    out.push_back(upper(padded[2 * byte]));
    out.push_back(upper(padded[2 * byte + 1]));
  }
  out.push_back('0');
  return out;
}

FirefoxWeight::FirefoxWeight(std::string_view unit) {
  if (unit == "bytes") {
    type_ = "bytes";
    return;
  }
  if (unit == "nanoseconds") decimals_ = 6;
  if (unit == "microseconds") decimals_ = 3;
  if (unit == "seconds") zeros_ = "000";
  if (decimals_ != 0 || !zeros_.empty() || unit == "milliseconds") type_ = "tracing-ms";
}

std::string FirefoxWeight::text(i64 value) const {
  std::string out = std::to_string(value);
  if (value != 0) out.append(zeros_);
  if (decimals_ == 0) return out;
  const std::size_t sign = value < 0 ? 1 : 0;
  if (out.size() - sign <= decimals_) out.insert(sign, decimals_ + 1 - (out.size() - sign), '0');
  out.insert(out.size() - decimals_, 1, '.');
  return out;
}

}  // namespace wick
