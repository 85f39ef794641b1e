// What an administrator may have set: sysctls, lockdown, BTF, kernel symbols, tracefs.
#include <fmt/format.h>
#include <linux/capability.h>
#include <unistd.h>

#include "base/text.h"
#include "kernel/features/feature_probes.h"
#include "kernel/tracefs.h"

namespace wick {

bool has_btf() {
  return ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

namespace feature {
namespace {

std::optional<int> read_sysctl(std::string_view name) {
  const auto text = read_file(fmt::format("/proc/sys/kernel/{}", name));
  return text ? parse_number<int>(trim(*text)) : std::nullopt;
}

// Setting it to 0 is not the way out: programs on perf events need CAP_PERFMON in any case.
Feature probe_bpf_setting() {
  Feature feature{.group = FeatureGroup::setting,
                  .name = "bpf allowed",
                  .gives = "BPF programs by this user",
                  .available = has_capability(CAP_BPF)};
  const int value = read_sysctl("unprivileged_bpf_disabled").value_or(0);
  feature.detail = fmt::format("kernel.unprivileged_bpf_disabled is {}", value);
  if (feature.available) {
    feature.detail += ", CAP_BPF is there";
    return feature;
  }
  feature.available = value == 0;
  if (!feature.available) feature.way_out = "CAP_BPF, or root";
  return feature;
}

Feature probe_perf_setting() {
  Feature feature{.group = FeatureGroup::setting,
                  .name = "perf allowed",
                  .gives = "perf events by this user",
                  .available = has_capability(CAP_PERFMON)};
  const int value = read_sysctl("perf_event_paranoid").value_or(-1);
  feature.detail = fmt::format("kernel.perf_event_paranoid is {}", value);
  if (feature.available) {
    feature.detail += ", CAP_PERFMON is there";
    return feature;
  }
  // 2 leaves a user his own processes, without the kernel's part.
  feature.available = value <= 2;
  if (value > 0) feature.detail += ": own processes only";
  if (!feature.available) {
    feature.detail = fmt::format("kernel.perf_event_paranoid is {}", value);
    feature.way_out = "CAP_PERFMON, or root, or: sysctl kernel.perf_event_paranoid=2";
  }
  return feature;
}

Feature probe_lockdown() {
  Feature feature{.group = FeatureGroup::setting,
                  .name = "no lockdown",
                  .gives = "reading kernel memory from BPF",
                  .available = true};
  const auto text = read_file("/sys/kernel/security/lockdown");
  if (!text) {
    feature.detail = "off, or securityfs is not mounted";
    return feature;
  }
  const std::size_t open = text->find('[');
  const std::size_t close = text->find(']');
  const std::string mode =
      open < close && close != std::string::npos ? text->substr(open + 1, close - open - 1) : "?";
  // "integrity" forbids changing the kernel, and leaves tracing alone.
  feature.available = mode != "confidentiality";
  feature.detail = "lockdown is " + mode;
  if (!feature.available) {
    feature.way_out = "boot without lockdown=confidentiality (Secure Boot may set it)";
  }
  return feature;
}

Feature probe_btf() {
  Feature feature{.group = FeatureGroup::setting,
                  .name = "BTF",
                  .gives = "programs fit this kernel's structures",
                  .available = has_btf(),
                  .required = true,
                  .detail = "/sys/kernel/btf/vmlinux"};
  if (feature.available) return feature;
  feature.detail = "no /sys/kernel/btf/vmlinux";
  explain_by_options(feature, {"CONFIG_DEBUG_INFO_BTF"}, "");
  return feature;
}

// Per-CPU symbols may stand first, and start at a true 0: one address that is not will do.
bool shows_addresses(std::string_view kallsyms) {
  while (!kallsyms.empty()) {
    std::string_view line = take_until(kallsyms, '\n');
    if (take_until(line, ' ').find_first_not_of('0') != std::string_view::npos) return true;
  }
  return false;
}

// What /proc/kallsyms shows is what counts: kptr_restrict, CAP_SYSLOG and lockdown all decide it.
Feature probe_kernel_symbols() {
  Feature feature{.group = FeatureGroup::setting,
                  .name = "kernel symbols",
                  .gives = "names of kernel functions"};
  const auto fd = Fd::open("/proc/kallsyms");
  std::string head(4096, '\0');
  const ssize_t got = fd ? ::read(fd->get(), head.data(), head.size()) : -1;
  if (got <= 0) {
    feature.detail = "no /proc/kallsyms";
    explain_by_options(feature, {"CONFIG_KALLSYMS"}, "");
    return feature;
  }
  const bool hidden = !shows_addresses({head.data(), static_cast<std::size_t>(got)});
  const auto restrict = read_sysctl("kptr_restrict");
  feature.available = !hidden;
  feature.detail = fmt::format("kptr_restrict is {}", restrict.value_or(0));
  if (feature.available) return feature;
  feature.detail = "/proc/kallsyms shows addresses of zero; " + feature.detail;
  if (restrict == 2) {
    feature.way_out = "sysctl kernel.kptr_restrict=1 (2 hides them even from root)";
  } else if (restrict == 1) {
    feature.way_out = "CAP_SYSLOG, or root";
  } else {
    // 0 leaves the decision to perf_event_paranoid.
    feature.way_out = "CAP_SYSLOG, or root, or: sysctl kernel.perf_event_paranoid=1";
  }
  return feature;
}

Feature probe_tracefs() {
  Feature feature{
      .group = FeatureGroup::setting, .name = "tracefs", .gives = "tracepoints by name"};
  const auto tracefs = Tracefs::open();
  feature.available = tracefs.has_value();
  if (tracefs) {
    feature.detail = tracefs->mount_point().empty() ? "not mounted; wick opens its own"
                                                    : "mounted on " + tracefs->mount_point();
  } else {
    Error error = tracefs.error();
    feature.way_out = std::exchange(error.hint, {});
    feature.detail = error.text();
  }
  return feature;
}

}  // namespace

std::vector<Feature> probe_settings() {
  return {
      probe_btf(),     probe_bpf_setting(), probe_perf_setting(), probe_kernel_symbols(),
      probe_tracefs(), probe_lockdown(),
  };
}

}  // namespace feature
}  // namespace wick
