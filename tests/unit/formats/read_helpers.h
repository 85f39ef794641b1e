// For tests of readers: a file of tests/data, and what was read, as text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/fd.h"
#include "formats/read/read.h"
#include "profile_builder.h"
#include "views/names.h"

namespace wick {

inline std::string test_data(const std::string& name) {
  auto text = read_file(std::string(WICK_SOURCE_DIR) + "/tests/data/" + name);
  EXPECT_TRUE(text) << text.error().text();
  return text ? *text : std::string{};
}

inline Profile read_as(InputKind kind, std::string_view bytes, bool moments = false) {
  auto profile = read_profile_bytes(bytes, "test", {.kind = kind, .moments = moments});
  EXPECT_TRUE(profile) << profile.error().text();
  return profile ? std::move(*profile) : Profile{};
}

inline std::string error_of(std::string_view bytes, std::optional<InputKind> kind = {}) {
  const auto profile = read_profile_bytes(bytes, "x.data", {.kind = kind});
  return profile ? "read" : profile.error().text();
}

inline std::string folded_column(const Profile& profile, std::size_t column) {
  return write(profile, Format::folded, {.annotate_kernel = true, .value_index = column});
}

// "samples/count cycles/count"
inline std::string types_of(const Profile& profile) {
  std::string out;
  for (const ValueType& type : profile.value_types())
    out += fmt::format("{}{}/{}", out.empty() ? "" : " ", type.type, type.unit);
  return out;
}

// "sh 7/8 k=v n=3 unit", the task and labels of a sample; the labels in their order, or by key.
inline std::string task_of(const Profile& profile, std::size_t sample, bool in_order = true) {
  const Sample& s = profile.samples()[sample];
  std::string out = fmt::format("{} {}/{}", profile.text(s.comm), s.pid, s.tid);
  std::vector<Label> labels(s.labels.begin(), s.labels.end());
  const auto key_of = [&](const Label& label) { return profile.text(label.key); };
  if (!in_order) std::ranges::stable_sort(labels, {}, key_of);
  for (const Label& label : labels) {
    out += fmt::format(" {}=", profile.text(label.key));
    out += label.text.index() != 0 ? std::string(profile.text(label.text))
                                   : fmt::format("{} {}", label.number, profile.text(label.unit));
  }
  return out;
}

// "kernel read@ffffffff81000000 /bin/x file.c:12", leaf first, one a line.
inline std::string frames_of(const Profile& profile, std::size_t sample) {
  std::string out;
  for (const FrameId id : profile.stack(profile.samples()[sample].stack)) {
    const Frame& frame = profile.frame(id);
    out += fmt::format("{} {}@{:x} {}", kind_name(frame.kind), profile.text(frame.name),
                       frame.address, profile.text(profile.mapping(frame.mapping).path));
    if (frame.line != 0) out += fmt::format(" {}:{}", profile.text(frame.file), frame.line);
    out += '\n';
  }
  return out;
}

inline std::string losses_of(const Profile& profile) {
  return losses_text(profile.info);
}

}  // namespace wick
