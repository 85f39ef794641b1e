#include "kernel/features/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "kernel/features/feature_probes.h"

namespace wick {
namespace {

const Feature* find(const std::vector<Feature>& features, std::string_view name) {
  const auto found = std::ranges::find(features, name, &Feature::name);
  return found == features.end() ? nullptr : &*found;
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator{});
}

// Runs `check` in a child that has dropped every capability; true when it said so.
bool without_capabilities(bool (*check)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    ::syscall(SYS_capset, &header, none.data());
    ::_exit(check() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Features, WhatIsMissingAlwaysHasAWayOut) {
  for (const Feature& feature : probe_features()) {
    EXPECT_TRUE(feature.available || !feature.way_out.empty()) << feature.name;
    EXPECT_NE(feature.name, "");
    EXPECT_NE(feature.gives, "");
  }
}

TEST(Features, ProbesLeaveNoFileOpen) {
  (void)probe_features();  // whatever is opened once for good
  const auto before = open_files();
  (void)probe_features();
  EXPECT_EQ(open_files(), before);
}

TEST(Features, WithoutCapabilitiesTheyAreNamed) {
  EXPECT_TRUE(without_capabilities(
      [] { return missing_privilege() == "needs CAP_PERFMON and CAP_BPF, or root"; }));
  EXPECT_TRUE(without_capabilities(
      [] { return !has_capability(CAP_BPF) && !can_profile(probe_features()); }));
}

TEST(Features, WithoutBpfNothingIsGuessedAboutIt) {
  EXPECT_TRUE(without_capabilities([] {
    const auto features = probe_features();
    const Feature* programs = find(features, "perf_event programs");
    return programs != nullptr && !programs->available &&
           find(features, "ring buffer") == nullptr && find(features, "fentry") == nullptr;
  }));
}

TEST(Features, SummaryAgreesWithItsParts) {
  const auto features = probe_features();
  EXPECT_EQ(find(features, "BTF")->available, has_btf());
  EXPECT_EQ(find(features, "hardware counters")->available, has_hardware_pmu());
  EXPECT_TRUE(!can_profile(features) || missing_privilege().empty());
}

TEST(Features, RequiredAndMissingMeansNoProfiling) {
  EXPECT_TRUE(can_profile({{.available = false, .required = false}}));
  EXPECT_FALSE(can_profile({{.available = false, .required = true}}));
  EXPECT_TRUE(can_profile({{.available = true, .required = true}}));
}

TEST(KernelConfig, UnsetOptionsAreNamed) {
  constexpr std::string_view kConfig =
      "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=m\nCONFIG_D=n\n";
  EXPECT_EQ(feature::unset_options_in(kConfig, {"CONFIG_A", "CONFIG_C"}), "");
  EXPECT_EQ(feature::unset_options_in(kConfig, {"CONFIG_A", "CONFIG_B"}), "CONFIG_B is not set");
  EXPECT_EQ(feature::unset_options_in(kConfig, {"CONFIG_B", "CONFIG_D"}),
            "CONFIG_B, CONFIG_D are not set");
  EXPECT_EQ(feature::unset_options_in(kConfig, {"CONFIG_"}), "CONFIG_ is not set");
}

}  // namespace
}  // namespace wick
