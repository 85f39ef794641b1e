// Profiles for tests, in a few words:
//
//   ProfileBuilder b;
//   b.sample("sh", 7, {{"read", FrameKind::kernel}, {"main"}}, 3);   // leaf first
#pragma once

#include <array>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace wick {

inline constexpr FrameKind kKernel = FrameKind::kernel;

struct TestFrame {
  std::string name;
  FrameKind kind = FrameKind::user;
  u64 address = 0;
  MappingId mapping = {};
  std::string file = {};
  u32 line = 0;
};

struct ProfileBuilder {
  ProfileBuilder() {
    profile.set_value_types({{"samples", "count"}, {"cpu", "nanoseconds"}});
    profile.info.period_type = {"cpu", "nanoseconds"};
    profile.info.period = kPeriod;
  }

  ProfileBuilder& sample(std::string_view comm, u32 pid, const std::vector<TestFrame>& leaf_first,
                         i64 count = 1, u32 tid = 0, std::vector<Label> labels = {}) {
    std::vector<FrameId> frames;
    for (const TestFrame& frame : leaf_first)
      frames.push_back(profile.add_frame({.name = profile.strings.intern(frame.name),
                                          .mapping = frame.mapping,
                                          .file = profile.strings.intern(frame.file),
                                          .line = frame.line,
                                          .kind = frame.kind,
                                          .address = frame.address}));
    profile.add_sample({.stack = profile.add_stack(frames),
                        .pid = pid,
                        .tid = tid,
                        .comm = profile.strings.intern(comm),
                        .labels = std::move(labels)},
                       std::array<i64, 2>{count, count * kPeriod});
    return *this;
  }

  MappingId mapping(std::string_view path, u64 start = 0, u64 limit = 0,
                    std::string_view build_id = {}) {
    return profile.add_mapping({.path = profile.strings.intern(path),
                                .build_id = profile.strings.intern(build_id),
                                .start = start,
                                .limit = limit});
  }

  static constexpr i64 kPeriod = 1000;
  Profile profile;
};

}  // namespace wick
