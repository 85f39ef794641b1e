#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <protozero/pbf_message.hpp>

#include "formats/pprof/pprof_proto.h"
#include "profile_builder.h"

namespace wick {
namespace {

using namespace pprof;
using testing::ElementsAre;
template <class Field>
using Reader = protozero::pbf_message<Field>;

struct DecodedMapping {
  std::string file;
  std::string build_id;
  u64 start = 0;
  u64 limit = 0;
  bool functions = false;
  bool filenames = false;
  bool lines = false;
  bool inlines = false;
};
struct DecodedLocation {
  u64 mapping = 0;
  u64 address = 0;
  std::vector<std::pair<u64, i64>> lines;  // function, line
};
struct DecodedSample {
  std::vector<u64> locations;
  std::vector<i64> values;
  std::vector<std::pair<i64, i64>> text_labels;   // key, text
  std::vector<std::array<i64, 3>> number_labels;  // key, number, unit
};

// Just enough of a reader to see what was written.
struct Decoded {
  explicit Decoded(const std::string& bytes) {
    Reader<ProfileField> top{bytes};
    while (top.next()) field(top);
  }

  void field(Reader<ProfileField>& top) {
    switch (top.tag()) {
      case ProfileField::string_table:
        strings.push_back(top.get_string());
        return;
      case ProfileField::sample:
        samples.push_back(sample(top.get_message()));
        return;
      case ProfileField::mapping:
        mapping(top.get_message());
        return;
      case ProfileField::location:
        location(top.get_message());
        return;
      case ProfileField::function:
        function(top.get_message());
        return;
      case ProfileField::comment:
        comments.push_back(top.get_int64());
        return;
      case ProfileField::sample_type:
        sample_types.push_back(value_type(top.get_message()));
        return;
      case ProfileField::period:
        period = top.get_int64();
        return;
      default:
        top.skip();
    }
  }

  static std::pair<i64, i64> value_type(Reader<ValueTypeField> m) {
    std::pair<i64, i64> out;
    while (m.next()) (m.tag() == ValueTypeField::type ? out.first : out.second) = m.get_int64();
    return out;
  }

  static DecodedSample sample(Reader<SampleField> m) {
    DecodedSample out;
    while (m.next()) {
      if (m.tag() == SampleField::location_id)
        for (const u64 id : m.get_packed_uint64()) out.locations.push_back(id);
      else if (m.tag() == SampleField::value)
        for (const i64 value : m.get_packed_int64()) out.values.push_back(value);
      else
        label(m.get_message(), out);
    }
    return out;
  }

  static void label(Reader<LabelField> m, DecodedSample& out) {
    std::map<LabelField, i64> fields;
    while (m.next()) fields[m.tag()] = m.get_int64();
    if (fields.contains(LabelField::str))
      out.text_labels.emplace_back(fields[LabelField::key], fields[LabelField::str]);
    else
      out.number_labels.push_back(
          {fields[LabelField::key], fields[LabelField::num], fields[LabelField::num_unit]});
  }

  void mapping(Reader<MappingField> m) {
    std::map<MappingField, u64> fields;
    while (m.next()) fields[m.tag()] = m.get_uint64();
    raw_mappings.push_back(std::move(fields));
  }

  void location(Reader<LocationField> m) {
    u64 id = 0;
    DecodedLocation out;
    while (m.next()) {
      if (m.tag() == LocationField::line) {
        Reader<LineField> line = m.get_message();
        std::pair<u64, i64> entry;
        while (line.next())
          if (line.tag() == LineField::function_id)
            entry.first = line.get_uint64();
          else
            entry.second = line.get_int64();
        out.lines.push_back(entry);
      } else {
        const u64 value = m.get_uint64();
        if (m.tag() == LocationField::id) id = value;
        if (m.tag() == LocationField::mapping_id) out.mapping = value;
        if (m.tag() == LocationField::address) out.address = value;
      }
    }
    EXPECT_TRUE(locations.emplace(id, out).second) << "location " << id << " twice";
  }

  void function(Reader<FunctionField> m) {
    std::map<FunctionField, i64> fields;
    while (m.next()) fields[m.tag()] = m.get_int64();
    functions[static_cast<u64>(fields[FunctionField::id])] = fields[FunctionField::name];
  }

  [[nodiscard]] std::string text(auto id) const { return strings.at(static_cast<std::size_t>(id)); }

  [[nodiscard]] DecodedMapping mapping_at(std::size_t index) const {
    auto fields = raw_mappings.at(index);
    EXPECT_EQ(fields[MappingField::id], index + 1);
    return {.file = text(fields[MappingField::filename]),
            .build_id = text(fields[MappingField::build_id]),
            .start = fields[MappingField::memory_start],
            .limit = fields[MappingField::memory_limit],
            .functions = fields[MappingField::has_functions] != 0,
            .filenames = fields[MappingField::has_filenames] != 0,
            .lines = fields[MappingField::has_line_numbers] != 0,
            .inlines = fields[MappingField::has_inline_frames] != 0};
  }

  // "inner+outer" for a location with an inlined call.
  [[nodiscard]] std::vector<std::string> stack(const DecodedSample& sample) const {
    std::vector<std::string> out;
    for (const u64 id : sample.locations) {
      std::string names;
      for (const auto& [function, line] : locations.at(id).lines)
        names += (names.empty() ? "" : "+") + text(functions.at(function));
      out.push_back(names);
    }
    return out;
  }

  [[nodiscard]] std::vector<std::string> labels(const DecodedSample& sample) const {
    std::vector<std::string> out;
    for (const auto& [key, value] : sample.text_labels)
      out.push_back(text(key) + "=" + text(value));
    for (const auto& [key, number, unit] : sample.number_labels)
      out.push_back(text(key) + "=" + std::to_string(number) + text(unit));
    return out;
  }

  std::vector<std::string> strings;
  std::vector<DecodedSample> samples;
  std::vector<std::map<MappingField, u64>> raw_mappings;
  std::map<u64, DecodedLocation> locations;
  std::map<u64, i64> functions;
  std::vector<i64> comments;
  std::vector<std::pair<i64, i64>> sample_types;
  i64 period = 0;
};

Decoded decode(const ProfileBuilder& b) {
  return Decoded{write(b.profile, Format::pprof_raw)};
}

TEST(Pprof, HeadSaysTypesPeriodAndLosses) {
  ProfileBuilder b;
  b.profile.info.command = "wick profile";
  b.profile.info.losses = {{"ring buffer full", 12}};
  const Decoded d = decode(b);
  ASSERT_FALSE(d.strings.empty());
  EXPECT_EQ(d.strings[0], "");
  ASSERT_EQ(d.sample_types.size(), 2U);
  EXPECT_EQ(d.text(d.sample_types[0].first), "samples");
  EXPECT_EQ(d.text(d.sample_types[1].second), "nanoseconds");
  EXPECT_EQ(d.period, ProfileBuilder::kPeriod);
  std::vector<std::string> comments;
  for (const i64 id : d.comments) comments.push_back(d.text(id));
  EXPECT_THAT(comments,
              ElementsAre("command: wick profile", "lost or not whole: 12 ring buffer full"));
}

TEST(Pprof, StacksAreLeafFirstWithBothValues) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"read", FrameKind::kernel}, {"main"}}, 3);
  const Decoded d = decode(b);
  ASSERT_EQ(d.samples.size(), 1U);
  EXPECT_THAT(d.stack(d.samples[0]), ElementsAre("read", "main"));
  EXPECT_THAT(d.samples[0].values, ElementsAre(3, 3000));
}

TEST(Pprof, TheMainBinaryOfTheHeaviestProcessIsMappingOne) {
  ProfileBuilder b;
  const MappingId other = b.mapping("/bin/other");
  const MappingId libc = b.mapping("/lib/libc.so.6");
  const MappingId app = b.mapping("/bin/app", 0x400000, 0x500000, "abcd");
  b.sample("other", 1, {{"f", FrameKind::user, 1, other}}, 1);
  b.sample("app", 2,
           {{"malloc", FrameKind::user, 2, libc}, {"main", FrameKind::user, 0x400100, app}}, 9);
  const Decoded d = decode(b);
  const DecodedMapping first = d.mapping_at(0);
  EXPECT_EQ(first.file, "/bin/app");
  EXPECT_EQ(first.build_id, "abcd");
  EXPECT_EQ(first.start, 0x400000U);
  EXPECT_EQ(first.limit, 0x500000U);
  EXPECT_TRUE(first.functions);
  EXPECT_FALSE(first.filenames);
  EXPECT_EQ(d.raw_mappings.size(), 3U);
}

TEST(Pprof, KernelFramesHaveTheKernelsMapping) {
  ProfileBuilder b;
  const MappingId module = b.mapping("[ext4]");
  b.sample("sh", 1,
           {{"read", FrameKind::kernel, module.value()},
            {"ext4", FrameKind::kernel, 5, module},
            {"main"}});
  const Decoded d = decode(b);
  EXPECT_EQ(d.mapping_at(d.locations.at(d.samples[0].locations[0]).mapping - 1).file,
            "[kernel.kallsyms]");
  EXPECT_EQ(d.mapping_at(d.locations.at(d.samples[0].locations[1]).mapping - 1).file, "[ext4]");
  EXPECT_EQ(d.locations.at(d.samples[0].locations[2]).mapping, 0U);
}

TEST(Pprof, InlinedCallsShareTheLocationInnermostFirst) {
  ProfileBuilder b;
  const MappingId app = b.mapping("/bin/app");
  b.sample("app", 1,
           {{"inner", FrameKind::inlined, 0x10, app, "a.c", 3},
            {"outer", FrameKind::user, 0x10, app, "a.c", 9},
            {"main", FrameKind::user, 0x20, app}},
           1);
  b.sample("app", 1, {{"outer", FrameKind::user, 0x18, app, "a.c", 8}});
  const Decoded d = decode(b);
  EXPECT_THAT(d.stack(d.samples[0]), ElementsAre("inner+outer", "main"));
  EXPECT_EQ(d.locations.at(d.samples[0].locations[0]).lines[0].second, 3);
  EXPECT_TRUE(d.mapping_at(0).inlines);
  EXPECT_TRUE(d.mapping_at(0).lines);
  EXPECT_TRUE(d.mapping_at(0).filenames);
  EXPECT_EQ(d.functions.size(), 3U);
}

TEST(Pprof, UnnamedMappingsAreLeftToPprof) {
  ProfileBuilder b;
  const MappingId app = b.mapping("/bin/app");
  const FrameId frame = b.profile.add_frame(
      {.name = b.profile.strings.intern("[app]"), .mapping = app, .named = false, .address = 9});
  b.profile.add_sample({.stack = b.profile.add_stack(std::array{frame}), .comm = {}, .labels = {}},
                       std::array<i64, 2>{1, 1});
  EXPECT_FALSE(decode(b).mapping_at(0).functions);
}

TEST(Pprof, LabelsAreTextSoThatZeroIsNotDropped) {
  ProfileBuilder b;
  const auto key = [&](std::string_view text) { return b.profile.strings.intern(text); };
  b.sample("swapper/0", 0, {{"idle", FrameKind::kernel}}, 1, 0,
           {{.key = key("cpu"), .text = {}, .number = 0, .unit = {}},
            {.key = key("size"), .text = {}, .number = 4, .unit = key("bytes")}});
  b.sample("sh", 7, {{"main"}}, 1, 8);
  const Decoded d = decode(b);
  EXPECT_THAT(d.labels(d.samples[0]),
              ElementsAre("comm=swapper/0", "pid=0", "cpu=0", "size=4bytes"));
  EXPECT_THAT(d.labels(d.samples[1]), ElementsAre("comm=sh", "pid=7", "tid=8"));
}

TEST(Pprof, WithoutAnyPidThereIsNoPidLabel) {
  ProfileBuilder b;
  b.sample("sh", 0, {{"main"}});
  const Decoded d = decode(b);
  EXPECT_THAT(d.labels(d.samples[0]), ElementsAre("comm=sh"));
}

TEST(Pprof, GzippedHoldsTheSameBytes) {
  ProfileBuilder b;
  for (int i = 0; i < 20'000; i++) b.sample("sh", 7, {{std::to_string(i * 7919)}, {"main"}}, i);
  const std::string raw = write(b.profile, Format::pprof_raw);
  std::string packed = write(b.profile, Format::pprof);
  std::string unpacked(raw.size() + 1, '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  stream.avail_out = static_cast<uInt>(unpacked.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  unpacked.resize(stream.total_out);
  inflateEnd(&stream);
  EXPECT_EQ(unpacked, raw);
}

}  // namespace
}  // namespace wick
