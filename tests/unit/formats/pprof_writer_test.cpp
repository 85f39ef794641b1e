// What the writer tells beyond stacks and values; pprof_test.cpp has those.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_message.hpp>

#include "formats/pprof/pprof_marks.h"
#include "formats/pprof/pprof_proto.h"
#include "profile_builder.h"

namespace wick {
namespace {

using namespace pprof;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

struct Head {
  std::vector<std::string> types;
  std::string shown;
  std::vector<std::string> functions;  // "name=system_name"
};

Head head_of(const Profile& profile) {
  const std::string bytes = write(profile, Format::pprof_raw);
  std::vector<std::string> strings;
  protozero::pbf_message<ProfileField> texts{bytes};
  while (texts.next(ProfileField::string_table)) strings.push_back(texts.get_string());
  const auto text = [&](i64 id) { return strings.at(static_cast<std::size_t>(id)); };
  Head head;
  protozero::pbf_message<ProfileField> top{bytes};
  while (top.next()) {
    if (top.tag() == ProfileField::sample_type) {
      protozero::pbf_message<ValueTypeField> type = top.get_message();
      while (type.next(ValueTypeField::type)) head.types.push_back(text(type.get_int64()));
    } else if (top.tag() == ProfileField::default_sample_type) {
      head.shown = text(top.get_int64());
    } else if (top.tag() == ProfileField::function) {
      protozero::pbf_message<FunctionField> function = top.get_message();
      std::string entry;
      while (function.next()) {
        if (function.tag() == FunctionField::name)
          entry = text(function.get_int64()) + "=";
        else if (function.tag() == FunctionField::system_name)
          entry += text(function.get_int64());
        else
          function.skip();
      }
      head.functions.push_back(entry);
    } else {
      top.skip();
    }
  }
  return head;
}

TEST(PprofWriter, NamesTheDefaultTypeUnlessItIsPprofsOwn) {
  ProfileBuilder b;
  EXPECT_EQ(head_of(b.profile).shown, "");  // samples first, time last: time is pprof's
  b.profile.info.default_value = 1;
  EXPECT_EQ(head_of(b.profile).shown, "");
  Profile three;
  three.set_value_types({{"a", "count"}, {"b", "count"}, {"c", "count"}});
  three.info.default_value = 1;
  EXPECT_EQ(head_of(three).shown, "b");
}

TEST(PprofWriter, ADifferentialProfileIsKnownByItsTypes) {
  ProfileBuilder b;
  b.profile.info.differential = true;
  b.profile.info.default_value = 1;
  EXPECT_THAT(head_of(b.profile).types, ElementsAre("before", "after"));
}

TEST(PprofWriter, KindsAreMarkedInTheSystemName) {
  ProfileBuilder b;
  b.sample("sh", 7,
           {{"k", FrameKind::kernel},
            {"u"},
            {"j", FrameKind::jit},
            {"n", FrameKind::note},
            {"w", FrameKind::waker},
            {"j"}});
  EXPECT_THAT(head_of(b.profile).functions,
              UnorderedElementsAre("k=k_[k]", "u=u", "j=j_[j]", "n=n_[n]", "w=w_[w]", "j=j"));
}

TEST(PprofMarks, ComeBackAsTheyWere) {
  for (const FrameKind kind : {FrameKind::user, FrameKind::kernel, FrameKind::jit,
                               FrameKind::inlined, FrameKind::note, FrameKind::waker})
    for (const bool named : {true, false})
      for (const std::string_view name : {"f", "", "a_[k]", "a_[?]"}) {
        const PprofMarks marks = pprof_marks(name, pprof_system_name(name, kind, named));
        EXPECT_EQ(marks.kind.value_or(FrameKind::user), kind) << name;
        EXPECT_EQ(marks.named, named) << name;
      }
}

TEST(PprofMarks, AMangledNameHasNone) {
  for (const auto& [name, system_name] :
       {std::pair{"f()", "_Z1fv"}, {"f", ""}, {"f", "f_[x]"}, {"f", "f_[k]x"}, {"", "_Z1fv"}}) {
    const PprofMarks marks = pprof_marks(name, system_name);
    EXPECT_FALSE(marks.kind) << system_name;
    EXPECT_TRUE(marks.named) << system_name;
  }
}

}  // namespace
}  // namespace wick
