// The parts of features.h, one file each. Only feature*.cpp includes this.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/features/features.h"
#include "kernel/trial.h"

namespace wick::feature {

std::vector<Feature> probe_privileges();   // feature_privileges.cpp
std::vector<Feature> probe_settings();     // feature_settings.cpp
std::vector<Feature> probe_bpf();          // feature_bpf.cpp
std::vector<Feature> probe_events();       // feature_events.cpp
std::vector<Feature> probe_trampolines();  // feature_trampolines.cpp: what needs the kernel's BTF

// The outcome of one trial, in the words of the errno.
std::string answer(std::string_view call, int code);

// "needs CONFIG_A and CONFIG_B" with what is known to be unset in the detail.
void explain_by_options(Feature& feature, const OptionNames& options, std::string_view instead);

}  // namespace wick::feature
