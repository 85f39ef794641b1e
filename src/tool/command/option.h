// Option: one option of a command, bound to a member of the command's options struct. Help, man
// page, completion and parsing all follow from it.
//
//   struct SleepOptions { bool verbose = false; std::optional<u64> seconds; };
//   constexpr Option kOptions[] = {
//       flag<SleepOptions, &SleepOptions::verbose>('v', "verbose", "say more"),
//       value<SleepOptions, &SleepOptions::seconds>('s', "seconds", "N", "how long"),
//   };
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/text.h"

namespace wick {

struct Option {
  char short_name = 0;  // 0: long only
  std::string_view long_name;
  std::string_view value_name;  // empty: a flag
  std::string_view help;
  Status (*set)(void* options, std::string_view value) = nullptr;
};

// The same for what stands without a dash.
struct Positional {
  std::string_view name;
  std::string_view help;
  Status (*set)(void* options, std::string_view value) = nullptr;
  bool required = false;
  bool many = false;  // the last one only
};

// Texts that are kept whole, commas and all: paths, patterns. The option may be given several
// times.
struct Texts {
  std::vector<std::string> list;
};

namespace option_detail {

// A number that is 0 where it makes no sense is told so by the command; here only the form is
// checked.
template <std::integral T>
Status assign(T& target, std::string_view text) {
  const auto number = parse_number<T>(text);
  if (!number) return fail_usage("'" + printable(text) + "' is not a whole number in range");
  target = *number;
  return {};
}
inline Status assign(double& target, std::string_view text) {
  const auto number = parse_decimal(text);
  if (!number) return fail_usage("'" + printable(text) + "' is not a number");
  target = *number;
  return {};
}
inline Status assign(std::string& target, std::string_view text) {
  if (text.empty()) return fail_usage("the value is empty");
  target = text;
  return {};
}
inline Status assign(Texts& target, std::string_view text) {
  if (text.empty()) return fail_usage("the value is empty");
  target.list.emplace_back(text);
  return {};
}
// "12,13": a comma list adds to what was given before.
template <class T>
Status assign(std::vector<T>& target, std::string_view text) {
  for (const std::string_view piece : split(text, ',')) {
    T item{};
    TRY(assign(item, piece));
    target.push_back(std::move(item));
  }
  return {};
}
template <class T>
Status assign(std::optional<T>& target, std::string_view text) {
  T item{};
  TRY(assign(item, text));
  target = std::move(item);
  return {};
}

// `O` is the whole options struct: a member pointer alone may name only the base it came from.
template <class O, auto Member>
Status assign_member(void* options, std::string_view text) {
  return assign(static_cast<O*>(options)->*Member, text);
}

template <class O, auto Member>
Status raise_member(void* options, std::string_view /*unused*/) {
  static_cast<O*>(options)->*Member = true;
  return {};
}

}  // namespace option_detail

template <class O, auto Member>
constexpr Option flag(char short_name, std::string_view long_name, std::string_view help) {
  return {short_name, long_name, {}, help, option_detail::raise_member<O, Member>};
}
template <class O, auto Member>
constexpr Option value(char short_name, std::string_view long_name, std::string_view value_name,
                       std::string_view help) {
  return {short_name, long_name, value_name, help, option_detail::assign_member<O, Member>};
}
// Several lists of options as one: a tool's own, and those it shares with others.
template <std::size_t... Sizes>
constexpr auto all_of(const std::array<Option, Sizes>&... lists) {
  std::array<Option, (Sizes + ...)> out{};
  auto* next = out.data();
  ((next = std::ranges::copy(lists, next).out), ...);
  return out;
}

template <class O, auto Member>
constexpr Positional positional(std::string_view name, std::string_view help) {
  return {name, help, option_detail::assign_member<O, Member>};
}
template <class O, auto Member>
constexpr Positional needed(std::string_view name, std::string_view help) {
  return {name, help, option_detail::assign_member<O, Member>, true};
}
template <class O, auto Member>
constexpr Positional needed_many(std::string_view name, std::string_view help) {
  return {name, help, option_detail::assign_member<O, Member>, true, true};
}

}  // namespace wick
