#include "formats/pprof/pprof_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_builder.hpp>

#include "formats/pprof/pprof_proto.h"
#include "read_helpers.h"

namespace wick {
namespace {

using testing::HasSubstr;
using namespace pprof;  // NOLINT(google-build-using-namespace): the field names

// A profile.proto put together by hand, as other tools write it.
class ProtoBuilder {
 public:
  ProtoBuilder() { string(""); }

  i64 string(std::string_view text) {
    top_.add_string(ProfileField::string_table, text.data(), text.size());
    return strings_++;
  }
  ProtoBuilder& type(std::string_view type, std::string_view unit) {
    const i64 names[] = {string(type), string(unit)};
    protozero::pbf_builder<ValueTypeField> message{top_, ProfileField::sample_type};
    message.add_int64(ValueTypeField::type, names[0]);
    message.add_int64(ValueTypeField::unit, names[1]);
    return *this;
  }
  ProtoBuilder& mapping(u64 id, std::string_view path, u64 start = 0) {
    const i64 name = string(path);
    protozero::pbf_builder<MappingField> message{top_, ProfileField::mapping};
    message.add_uint64(MappingField::id, id);
    message.add_uint64(MappingField::memory_start, start);
    message.add_int64(MappingField::filename, name);
    return *this;
  }
  ProtoBuilder& function(u64 id, std::string_view name, std::string_view file = {}) {
    const i64 names[] = {string(name), string(file)};
    protozero::pbf_builder<FunctionField> message{top_, ProfileField::function};
    message.add_uint64(FunctionField::id, id);
    message.add_int64(FunctionField::name, names[0]);
    message.add_int64(FunctionField::filename, names[1]);
    return *this;
  }
  ProtoBuilder& location(u64 id, u64 mapping, u64 address,
                         const std::vector<std::pair<u64, i64>>& lines) {
    protozero::pbf_builder<LocationField> message{top_, ProfileField::location};
    message.add_uint64(LocationField::id, id);
    message.add_uint64(LocationField::mapping_id, mapping);
    message.add_uint64(LocationField::address, address);
    for (const auto& [function, line] : lines) {
      protozero::pbf_builder<LineField> part{message, LocationField::line};
      part.add_uint64(LineField::function_id, function);
      part.add_int64(LineField::line, line);
    }
    return *this;
  }
  struct TestLabel {
    std::string key;
    std::string text;
    i64 number = 0;
    std::string unit = {};
  };
  ProtoBuilder& sample(const std::vector<u64>& locations, const std::vector<i64>& values,
                       const std::vector<TestLabel>& labels = {}, bool packed = true) {
    std::vector<std::array<i64, 3>> names;
    for (const TestLabel& label : labels)
      names.push_back({string(label.key), label.text.empty() ? 0 : string(label.text),
                       label.unit.empty() ? 0 : string(label.unit)});
    protozero::pbf_builder<SampleField> message{top_, ProfileField::sample};
    if (packed) {
      message.add_packed_uint64(SampleField::location_id, locations.begin(), locations.end());
      message.add_packed_int64(SampleField::value, values.begin(), values.end());
    } else {
      for (const u64 id : locations) message.add_uint64(SampleField::location_id, id);
      for (const i64 value : values) message.add_int64(SampleField::value, value);
    }
    for (std::size_t i = 0; i < labels.size(); i++) {
      protozero::pbf_builder<LabelField> part{message, SampleField::label};
      part.add_int64(LabelField::key, names[i][0]);
      if (names[i][1] != 0) part.add_int64(LabelField::str, names[i][1]);
      if (names[i][1] == 0) part.add_int64(LabelField::num, labels[i].number);
      if (names[i][2] != 0) part.add_int64(LabelField::num_unit, names[i][2]);
    }
    return *this;
  }
  ProtoBuilder& default_type(std::string_view type) {
    top_.add_int64(ProfileField::default_sample_type, string(type));
    return *this;
  }
  ProtoBuilder& comment(std::string_view text) {
    top_.add_int64(ProfileField::comment, string(text));
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  protozero::pbf_builder<ProfileField> top_{bytes_};
  i64 strings_ = 0;
};

ProtoBuilder one_function() {
  ProtoBuilder b;
  b.type("samples", "count").function(1, "f").location(1, 0, 0x10, {{1, 0}});
  return b;
}

Profile pprof(const ProtoBuilder& b) {
  return read_as(InputKind::pprof, b.bytes());
}

std::string problem(const ProtoBuilder& b) {
  return error_of(b.bytes(), InputKind::pprof);
}

TEST(PprofReader, InlinedFunctionsBecomeFramesInnermostFirst) {
  ProtoBuilder b;
  b.type("samples", "count").mapping(1, "/bin/x").function(1, "inner", "a.c");
  b.function(2, "middle", "b.c").function(3, "outer", "c.c");
  b.location(7, 1, 0x10, {{1, 5}, {2, 6}, {3, 7}}).sample({7}, {1});
  EXPECT_EQ(frames_of(pprof(b), 0),
            "inlined inner@10 /bin/x a.c:5\ninlined middle@10 /bin/x b.c:6\n"
            "user outer@10 /bin/x c.c:7\n");
}

TEST(PprofReader, AllSampleTypesAreValuesAndTheLastIsShown) {
  ProtoBuilder b = one_function();
  b.type("cpu", "nanoseconds").sample({1}, {2, 2000});
  const Profile p = pprof(b);
  EXPECT_EQ(types_of(p), "samples/count cpu/nanoseconds");
  EXPECT_EQ(p.info.default_value, 1U);
  EXPECT_EQ(p.total(1), 2000);
  EXPECT_EQ(pprof(b.default_type("samples")).info.default_value, 0U);
}

TEST(PprofReader, LabelsNameTheTask) {
  ProtoBuilder b = one_function();
  b.sample({1}, {1},
           {{"comm", "sh"},
            {"pid", "7"},
            {"tid", "", 8, "id"},
            {"bytes", "", 64, "bytes"},
            {"who", "me"},
            {"pid", "9"},
            {"tid", "x"}});
  EXPECT_EQ(task_of(pprof(b), 0), "sh 7/8 bytes=64 bytes who=me pid=9 tid=x");
}

TEST(PprofReader, KernelFramesAreKnownByTheirMapping) {
  ProtoBuilder b;
  b.type("samples", "count").mapping(1, "[kernel.kallsyms]").mapping(2, "[vdso]");
  b.mapping(3, "/tmp/perf-7.map").function(1, "f");
  b.location(1, 1, 0, {{1, 0}}).location(2, 2, 0, {{1, 0}}).location(3, 3, 0, {{1, 0}});
  b.sample({1, 2, 3}, {1});
  EXPECT_EQ(frames_of(pprof(b), 0),
            "kernel f@0 [kernel.kallsyms]\nuser f@0 [vdso]\njit f@0 /tmp/perf-7.map\n");
}

TEST(PprofReader, ALocationWithoutLinesIsNamedByItsPlace) {
  ProtoBuilder b;
  b.type("samples", "count").mapping(1, "/lib/libx.so", 0x1000).location(1, 1, 0x1234, {});
  b.location(2, 0, 0x99, {}).sample({1, 2}, {1});
  const Profile p = pprof(b);
  EXPECT_EQ(frames_of(p, 0), "user [libx.so+0x234]@1234 /lib/libx.so\nuser [unknown]@99 \n");
  EXPECT_FALSE(p.frames()[0].named);
}

TEST(PprofReader, NumbersMayBePackedOrNot) {
  ProtoBuilder b = one_function();
  b.sample({1, 1}, {3}, {}, false).sample({1, 1}, {4}, {}, true);
  const Profile p = pprof(b);
  ASSERT_EQ(p.samples().size(), 1U);
  EXPECT_EQ(p.total(), 7);
}

TEST(PprofReader, WhatWickWritesInCommentsComesBack) {
  ProtoBuilder b = one_function();
  b.comment("command: wick profile").comment("host: h").comment("kernel: 6.1").comment("cpus: 4");
  b.comment("lost or not whole: 1,234 ring buffer full").comment("anything").sample({1}, {1});
  const Profile p = pprof(b);
  EXPECT_EQ(p.info.command, "wick profile");
  EXPECT_EQ(p.info.host, "h");
  EXPECT_EQ(p.info.kernel, "6.1");
  EXPECT_EQ(p.info.cpus, 4U);
  EXPECT_EQ(losses_of(p), "ring buffer full: 1,234");
}

TEST(PprofReader, NegativeAndHugeValuesStay) {
  ProtoBuilder b = one_function();
  constexpr i64 kMost = std::numeric_limits<i64>::max();
  b.sample({1}, {-5}).sample({1, 1}, {kMost}).sample({1, 1}, {kMost});
  const Profile p = pprof(b);
  EXPECT_EQ(p.values(0)[0], -5);
  EXPECT_EQ(p.values(1)[0], kMost);
}

TEST(PprofReader, BeforeAndAfterMakeADifferential) {
  ProtoBuilder b;
  b.type("before", "count").type("after", "count").function(1, "f").location(1, 0, 0, {{1, 0}});
  b.sample({1}, {1, 2});
  EXPECT_TRUE(pprof(b).info.differential);
  EXPECT_EQ(pprof(b).info.default_value, 1U);
}

TEST(PprofReader, WhatIsNotThereIsAnError) {
  EXPECT_THAT(problem(one_function().sample({2}, {1})), HasSubstr("sample 1: location 2 is not"));
  EXPECT_THAT(problem(one_function().sample({1}, {1, 2})), HasSubstr("2 values where 1"));
  EXPECT_THAT(problem(one_function().location(5, 9, 0, {}).sample({1}, {1})),
              HasSubstr("location 5: mapping 9 is not there"));
  EXPECT_THAT(problem(one_function().location(5, 0, 0, {{4, 0}}).sample({1}, {1})),
              HasSubstr("location 5: function 4 is not there"));
  EXPECT_THAT(problem(one_function().location(1, 0, 0, {}).sample({1}, {1})),
              HasSubstr("location 1 is there twice"));
  EXPECT_THAT(problem(ProtoBuilder{}), HasSubstr("no sample types"));
}

TEST(PprofReader, EveryCutIsAnErrorOrALessFullProfile) {
  ProtoBuilder b = one_function();
  b.mapping(1, "/bin/x").sample({1}, {1}, {{"who", "me"}}).sample({1, 1}, {2});
  for (std::size_t size = 0; size < b.bytes().size(); size++)
    (void)read_pprof(std::string_view(b.bytes()).substr(0, size));
  EXPECT_THAT(error_of(b.bytes().substr(0, b.bytes().size() - 1), InputKind::pprof),
              HasSubstr("x.data: not a whole pprof profile"));
}

TEST(PprofReader, LimitsHold) {
  ProtoBuilder b = one_function();
  b.sample({1, 1, 1}, {1});
  EXPECT_THAT(read_pprof(b.bytes(), {.depth = 2}).error().text(), HasSubstr("deeper than 2"));
  EXPECT_THAT(read_pprof(b.bytes(), {.frames = 0}).error().text(), HasSubstr("more than 0 rows"));
}

}  // namespace
}  // namespace wick
