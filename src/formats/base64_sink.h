// Base64Sink: what passes through it goes on to another Sink as base64 text. finish() ends it.
// One thread at a time.
#pragma once

#include "formats/sink.h"

namespace wick {

class Base64Sink final : public Sink {
 public:
  explicit Base64Sink(Sink& out) : out_(out) {}
  [[nodiscard]] Status write(std::string_view data) override;
  [[nodiscard]] Status finish();

 private:
  Sink& out_;
  std::string rest_;  // up to two bytes that wait for a third
  std::string text_;
};

}  // namespace wick
