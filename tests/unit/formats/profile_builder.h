// Profiles for tests (tests/unit/views/profile_builder.h), and what a format makes of them:
//
//   write(b.profile, Format::folded);   // "sh;main;read 3\n"
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "formats/formats.h"
#include "tests/unit/views/profile_builder.h"

namespace wick {

inline std::string write(const Profile& profile, Format format, const WriteOptions& options = {}) {
  StringSink sink;
  const Status status = write_profile(profile, format, options, sink);
  EXPECT_TRUE(status.has_value()) << status.error().text();
  return sink.text;
}

}  // namespace wick
