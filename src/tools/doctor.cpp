// wick doctor: what works on this machine, what does not, and what would help.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "kernel/features/features.h"
#include "proc/machine.h"
#include "proc/namespaces.h"
#include "tool/command/command.h"
#include "worker/file_worker.h"

namespace wick {
namespace {

struct DoctorOptions {
  bool json = false;
};

constexpr Option kOptions[] = {
    flag<DoctorOptions, &DoctorOptions::json>(0, "json", "one JSON object a line"),
};

constexpr Example kExamples[] = {
    {"wick doctor", "what this kernel and these privileges allow"},
    {"wick doctor --json", "the same, one JSON object a line"},
};

std::string json_line(const Feature& feature) {
  const nlohmann::ordered_json line = {
      {"group", group_title(feature.group)},
      {"name", feature.name},
      {"available", feature.available},
      {"required", feature.required},
      {"gives", feature.gives},
      {"detail", feature.detail},
      {"way_out", feature.way_out},
  };
  // Names of devices and the like are bytes; JSON is UTF-8.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// What is there takes one line; what is missing gets the room to say why, and what would help.
// `repeated`: the next line will say the same, so once is enough.
std::string text_line(const Feature& feature, std::size_t name_width, bool repeated) {
  std::string line = fmt::format("  {:<7}  {:<{}}  {}", feature.available ? "ok" : "missing",
                                 feature.name, name_width, feature.gives);
  const std::string detail = printable(feature.detail);
  if (feature.available) return line + (detail.empty() ? "\n" : fmt::format(" ({})\n", detail));
  const std::string indent(name_width + 13, ' ');
  line += "\n";
  if (!detail.empty()) line += fmt::format("{}why:   {}\n", indent, detail);
  if (!feature.way_out.empty() && !repeated) {
    line += fmt::format("{}helps: {}\n", indent, printable(feature.way_out));
  }
  return line;
}

std::string heading() {
  const auto ours = own_pid_namespace();
  return fmt::format("Linux {}, {}{}\n", kernel_release(),
                     counted(online_cpus().value_or(std::vector<u32>{}).size(), "CPU"),
                     ours && !ours->is_init ? ", inside a PID namespace (a container)" : "");
}

std::string lacking(const std::vector<Feature>& features) {
  std::string names;
  for (const Feature& feature : features) {
    if (feature.available || !feature.required) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", feature.name);
  }
  return names;
}

std::string verdict(const std::vector<Feature>& features) {
  if (can_profile(features)) {
    return "Profiling works here. A command that needs something missing says so.\n";
  }
  std::string text = fmt::format(
      "Profiling the whole system does not work here. Missing for it: {}.\n", lacking(features));
  const std::string privilege = missing_privilege();
  if (!privilege.empty()) text += fmt::format("First of all: {}.\n", privilege);
  return text;
}

std::string table(const std::vector<Feature>& features) {
  std::size_t width = 0;
  for (const Feature& feature : features) width = std::max(width, feature.name.size());
  std::string text = heading();
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (i == 0 || features[i - 1].group != features[i].group) {
      text += fmt::format("\n{}\n", group_title(features[i].group));
    }
    const bool repeated = i + 1 < features.size() && features[i + 1].way_out == features[i].way_out;
    text += text_line(features[i], width, repeated);
  }
  return text + "\n" + verdict(features);
}

// Starts one, and has it read something that is always there.
Feature confined_worker() {
  FileWorker worker{{.launch = WorkerLaunch::exec, .budget = std::make_shared<RunBudget>()}};
  const auto answer = worker.table(Fd{}, {}, {});
  Feature feature{.group = FeatureGroup::setting,
                  .name = "confined worker",
                  .gives = "strangers' files are parsed by a process without privileges"};
  feature.available = answer && worker.unconfined().empty();
  if (feature.available) return feature;
  feature.detail = answer ? worker.unconfined() : answer.error().text();
  feature.way_out = "a kernel with CONFIG_SECCOMP_FILTER, and a container that allows seccomp(2)";
  return feature;
}

std::vector<Feature> all_features() {
  std::vector<Feature> features = probe_features();
  const auto last =
      std::ranges::find(features.rbegin(), features.rend(), FeatureGroup::setting, &Feature::group);
  features.insert(last.base(), confined_worker());
  return features;
}

Result<int> run(Session& session, const DoctorOptions& options, const Trailing& /*unused*/) {
  const std::vector<Feature> features = all_features();
  std::string text;
  if (options.json) {
    for (const Feature& feature : features) text += json_line(feature);
  } else {
    text = table(features);
  }
  TRY(session.out().write(text));
  return can_profile(features) ? 0 : 1;
}

}  // namespace

extern constexpr Command doctor_command = command<DoctorOptions, run>({
    .name = "doctor",
    .group = "Wick",
    .summary = "what this kernel and these privileges allow, and what would help",
    .description = "Tries every kernel feature that Wick can use, leaves nothing behind, and says "
                   "what is missing: a "
                   "capability, a setting or a kernel option. Exit status 1 when profiling the "
                   "whole system cannot work.",
    .options = kOptions,
    .examples = kExamples,
});

}  // namespace wick
