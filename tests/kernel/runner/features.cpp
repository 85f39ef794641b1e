#include "features.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "disks.h"
#include "process.h"

namespace wick::test {

namespace {

bool exists(const char* path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool has_cgroup2() {
  return exists("/sys/fs/cgroup/cgroup.procs") || exists("/sys/fs/cgroup/unified/cgroup.procs");
}

// Whether fentry works shows only when it is tried, and Wick tries it.
bool doctor_says_fentry() {
  static const bool answer = [] {
    const auto run = run_to_end({"wick", "doctor"}, {.timeout_seconds = 30});
    const std::regex works("^ +ok +fentry", std::regex::multiline);
    return run && std::regex_search(run->out, works);
  }();
  return answer;
}

struct Feature {
  std::string_view name;
  bool (*present)();
};
constexpr std::array kFeatures{
    Feature{.name = "root", .present = [] { return ::geteuid() == 0; }},
    Feature{.name = "btf", .present = [] { return exists("/sys/kernel/btf/vmlinux"); }},
    Feature{.name = "tracefs", .present = [] { return exists("/sys/kernel/tracing/events"); }},
    Feature{.name = "pmu", .present = [] { return exists("/sys/bus/event_source/devices/cpu"); }},
    Feature{.name = "kprobe",
            .present = [] { return exists("/sys/bus/event_source/devices/kprobe"); }},
    Feature{.name = "fentry", .present = doctor_says_fentry},
    Feature{.name = "python", .present = [] { return exists("/usr/bin/python3"); }},
    Feature{.name = "ruby", .present = [] { return exists("/usr/bin/ruby3.1"); }},
    // libbpf-tools, in the VM too: /usr/sbin/vfsstat and the like.
    Feature{.name = "peers", .present = [] { return exists("/usr/sbin/vfsstat"); }},
    Feature{.name = "cgroup2", .present = has_cgroup2},
    Feature{.name = "slow-disk", .present = has_slow_disk},
    Feature{.name = "ext4", .present = has_ext4},
    Feature{.name = "xfs", .present = has_xfs},
    // `make test-fast` has none for tests that take more than some seconds.
    Feature{.name = "time", .present = [] { return std::getenv("WICK_TESTS_FAST") == nullptr; }},
    Feature{.name = "two-cpus", .present = [] { return ::sysconf(_SC_NPROCESSORS_ONLN) >= 2; }},
};

}  // namespace

Result<bool> has_feature(std::string_view feature, bool in_vm) {
  if (feature == "vm") return in_vm;
  if (feature == "native") return !in_vm;
  const bool negated = feature.starts_with("no-");
  if (negated) feature.remove_prefix(3);
  for (const Feature& known : kFeatures) {
    if (known.name == feature) return known.present() != negated;
  }
  return fail(fmt::format("NEEDS names an unknown feature: {}", feature));
}

}  // namespace wick::test
