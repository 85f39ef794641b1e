#include "formats/base64_sink.h"

#include "base/ids.h"

namespace wick {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_group(std::string& out, std::string_view three) {
  const auto byte = [&](std::size_t i) { return u32{static_cast<unsigned char>(three[i])}; };
  const u32 bits = byte(0) << 16 | byte(1) << 8 | byte(2);
  const char digits[] = {kBase64[bits >> 18], kBase64[bits >> 12 & 63], kBase64[bits >> 6 & 63],
                         kBase64[bits & 63]};
  out.append(digits, sizeof digits);
}

}  // namespace

Status Base64Sink::write(std::string_view data) {
  text_.clear();
  while (!rest_.empty() && rest_.size() < 3 && !data.empty()) {
    rest_.push_back(data.front());
    data.remove_prefix(1);
  }
  if (rest_.size() == 3) {
    append_group(text_, rest_);
    rest_.clear();
  }
  for (; data.size() >= 3; data.remove_prefix(3)) append_group(text_, data);
  if (!data.empty()) rest_.append(data);
  return out_.write(text_);
}

Status Base64Sink::finish() {
  if (rest_.empty()) return {};
  const std::size_t padding = 3 - rest_.size();
  rest_.append(padding, '\0');
  text_.clear();
  append_group(text_, rest_);
  rest_.clear();
  text_.replace(text_.size() - padding, padding, padding, '=');
  return out_.write(text_);
}

}  // namespace wick
