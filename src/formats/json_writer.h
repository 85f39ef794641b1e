// JsonWriter: JSON as it is written, into a Writer or a std::string. It keeps track of commas and
// quotes; what is begun the caller ends. One thread at a time.
//
//   JsonWriter json{out};
//   json.begin_object().field("name", name).field("pid", 7);
//   json.key("values").begin_array().value(1).value(2).end_array();
//   json.end_object();                                     {"name":"sh","pid":7,"values":[1,2]}
//
// Texts are escaped as append_json does it. 0040 says why it is our own.
#pragma once

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "formats/escape.h"
#include "formats/sink.h"

namespace wick {

template <class Out>
class JsonWriter {
 public:
  explicit JsonWriter(Out& out) : out_(out) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }

  JsonWriter& key(std::string_view name) {
    value(name);
    put(":");
    comma_ = false;
    return *this;
  }

  JsonWriter& value(std::string_view text) {
    quoted_.clear();
    append_json(quoted_, text);
    return raw(quoted_);
  }
  JsonWriter& value(const char* text) { return value(std::string_view{text}); }
  JsonWriter& value(const std::string& text) { return value(std::string_view{text}); }
  JsonWriter& value(bool is_true) { return raw(is_true ? "true" : "false"); }
  JsonWriter& value(std::integral auto number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return raw({digits.data(), end});
  }
  JsonWriter& value(std::nullptr_t) { return raw("null"); }
  template <std::integral T>
  JsonWriter& value(std::optional<T> number) {
    return number ? value(*number) : value(nullptr);
  }
  // With so many digits behind the point.
  JsonWriter& decimal(double number, int digits) {
    return raw(fmt::format("{:.{}f}", number, digits));
  }
  // A number as text: JavaScript and jq lose the low bits of 64.
  JsonWriter& hex(u64 number) { return raw(fmt::format("\"0x{:x}\"", number)); }
  // What is JSON already.
  JsonWriter& raw(std::string_view json) {
    separate();
    put(json);
    comma_ = true;
    return *this;
  }

  JsonWriter& field(std::string_view name, const auto& what) { return key(name).value(what); }

  // What comes next begins a line.
  JsonWriter& new_line() {
    line_ = true;
    return *this;
  }

 private:
  void put(std::string_view text) {
    if constexpr (std::same_as<Out, std::string>)
      out_.append(text);
    else
      out_ << text;
  }
  void break_line() {
    if (std::exchange(line_, false)) put("\n");
  }
  void separate() {
    if (comma_) put(",");
    break_line();
  }
  JsonWriter& begin(char bracket) {
    separate();
    put({&bracket, 1});
    comma_ = false;
    return *this;
  }
  JsonWriter& end(char bracket) {
    break_line();
    put({&bracket, 1});
    comma_ = true;
    return *this;
  }

  Out& out_;
  std::string quoted_;
  bool comma_ = false;  // before the next value
  bool line_ = false;
};

using JsonStream = JsonWriter<Writer>;
using JsonText = JsonWriter<std::string>;

}  // namespace wick
