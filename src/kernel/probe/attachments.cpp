#include "kernel/probe/attachments.h"

#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "kernel/probe/kprobe_multi.h"
#include "kernel/probe/uprobe_multi.h"
#include "kernel/tracefs.h"

namespace wick {
namespace {

// Up to 6.9 a uprobe_multi with a PID saw that process's first thread only, and there is no way to
// ask the kernel whether it does.
bool sees_all_threads() {
  utsname name{};
  if (::uname(&name) != 0) return false;
  std::string_view rest = name.release;
  const auto major = parse_number<u32>(take_until(rest, '.'));
  const auto minor = parse_number<u32>(rest.substr(0, rest.find_first_not_of("0123456789")));
  return major && minor && (*major > 6 || (*major == 6 && *minor >= 10));
}

std::unexpected<Error> uprobe_error(const bpf_program* program, int code) {
  Error error{.message = fmt::format("put a uprobe on {}", bpf_program__name(program)),
              .code = code,
              .hint = {}};
  if (code == EPERM || code == EACCES)
    error.hint = "needs CAP_PERFMON and CAP_BPF (some kernels: CAP_SYS_ADMIN), or root";
  if (code == ESRCH) error.hint = "the process ended";
  if (code == ENOENT || code == EOPNOTSUPP)
    error.hint = "this kernel has no uprobes: it needs CONFIG_UPROBES and CONFIG_UPROBE_EVENTS";
  return std::unexpected(std::move(error));
}

Fd attach_uprobe_multi(const bpf_program* program, const ProbeSpec& spec) {
  std::vector<u64> offsets;
  std::vector<u64> cookies;
  for (const ProbePlace& place : spec.places) {
    offsets.push_back(place.address);
    cookies.push_back(place.cookie);
  }
  return create_uprobe_multi({.prog_fd = static_cast<u32>(bpf_program__fd(program)),
                              .attach_type = kUprobeMulti,
                              .path = reinterpret_cast<u64>(spec.target.c_str()),
                              .offsets = reinterpret_cast<u64>(offsets.data()),
                              .cookies = reinterpret_cast<u64>(cookies.data()),
                              .count = static_cast<u32>(offsets.size()),
                              .multi_flags = spec.is_on_return() ? kUprobeMultiReturn : 0,
                              .pid = spec.pid});
}

bpf_link* attach_uprobe(const bpf_program* program, const ProbeSpec& spec,
                        const ProbePlace& place) {
  bpf_uprobe_opts options{};
  options.sz = sizeof(options);
  options.retprobe = spec.is_on_return();
  options.bpf_cookie = place.cookie;
  return bpf_program__attach_uprobe_opts(program, spec.pid == 0 ? -1 : static_cast<int>(spec.pid),
                                         spec.target.c_str(), place.address, &options);
}

bpf_link* attach_kprobe(const bpf_program* program, const ProbeSpec& spec) {
  bpf_kprobe_opts options{};
  options.sz = sizeof(options);
  options.retprobe = spec.is_on_return();
  options.bpf_cookie = spec.cookie;
  return bpf_program__attach_kprobe_opts(program, spec.target.c_str(), &options);
}

// kprobe.multi takes a pattern.
bpf_link* attach_kprobe_pattern(const bpf_program* program, const ProbeSpec& spec) {
  bpf_kprobe_multi_opts options{};
  options.sz = sizeof(options);
  options.retprobe = spec.is_on_return();
  return bpf_program__attach_kprobe_multi_opts(program, spec.target.c_str(), &options);
}

// libbpf looks only where tracefs usually is mounted. One event carries the program, on any CPU.
Result<Link> attach_tracepoint(const bpf_program* program, const ProbeSpec& spec) {
  std::string_view name = spec.target;
  const std::string_view category = take_until(name, '/');
  perf_event_attr attr{};
  attr.type = PERF_TYPE_TRACEPOINT;
  attr.config = TRY(tracepoint_id(category, name));
  return attach_to_event(program, TRY(perf_event_open(attr, -1, 0)), spec.cookie);
}

bpf_link* attach_typed(const bpf_program* program, const ProbeSpec& spec) {
  // Cookies of these are younger (6.0) than the probes.
  if (spec.cookie == 0) return bpf_program__attach_trace(program);
  bpf_trace_opts options{};
  options.sz = sizeof(options);
  options.cookie = spec.cookie;
  return bpf_program__attach_trace_opts(program, &options);
}

bpf_link* attach_to_one(const bpf_program* program, const ProbeSpec& spec) {
  switch (spec.kind) {
    case ProbeKind::kprobe:
    case ProbeKind::kretprobe:
      return attach_kprobe(program, spec);
    case ProbeKind::kprobe_multi:
    case ProbeKind::kretprobe_multi:
      return attach_kprobe_pattern(program, spec);
    case ProbeKind::fentry:
    case ProbeKind::fexit:
    case ProbeKind::typed_tracepoint:
      return attach_typed(program, spec);
    case ProbeKind::raw_tracepoint:
      return bpf_program__attach_raw_tracepoint(program, spec.target.c_str());
    default:
      errno = EINVAL;
      return nullptr;
  }
}

}  // namespace

void prepare_uprobes(bpf_program* program, std::span<const ProbeSpec* const> specs) {
  const bool by_pid =
      std::ranges::any_of(specs, [](const ProbeSpec* spec) { return spec->pid != 0; });
  if ((!by_pid || sees_all_threads()) && has_uprobe_multi())
    bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(kUprobeMulti));
}

Status Attachments::attach(const bpf_program* program, const ProbeSpec& spec,
                           std::string_view what) {
  if (!spec.is_complete()) return {};
  if (spec.kind == ProbeKind::sampling) return attach_sampling(program, *spec.sampling);
  if (spec.is_uprobe()) return attach_uprobes(program, spec);
  if (spec.is_for_many()) return attach_functions(program, spec);
  return attach_one(program, spec, what);
}

Status Attachments::attach_one(const bpf_program* program, const ProbeSpec& spec,
                               std::string_view what) {
  const std::string phrase =
      what.empty() ? fmt::format("attach {}", bpf_program__name(program)) : std::string(what);
  if (spec.kind == ProbeKind::tracepoint) {
    links_.push_back(TRY_CTX(attach_tracepoint(program, spec), phrase));
    return {};
  }
  bpf_link* link = attach_to_one(program, spec);
  if (link == nullptr) return fail_errno(phrase);
  links_.emplace_back(link);
  return {};
}

Status Attachments::attach_uprobes(const bpf_program* program, const ProbeSpec& spec) {
  if (bpf_program__expected_attach_type(program) == kUprobeMulti) {
    Fd link = attach_uprobe_multi(program, spec);
    if (!link.valid()) return uprobe_error(program, errno);
    multi_links_.push_back(std::move(link));
    return {};
  }
  for (const ProbePlace& place : spec.places) {
    bpf_link* link = attach_uprobe(program, spec, place);
    if (link == nullptr) return uprobe_error(program, errno);
    links_.emplace_back(link);
  }
  return {};
}

Status Attachments::attach_functions(const bpf_program* program, const ProbeSpec& spec) {
  FunctionLinks functions = TRY(attach_to_functions(program, spec));
  refused_ += functions.refused;
  std::ranges::move(functions.links, std::back_inserter(links_));
  return {};
}

Status Attachments::attach_sampling(const bpf_program* program, const SamplingSpec& sampling) {
  // A tracepoint's program runs wherever it is hit; one event, on any CPU, carries it.
  const std::span<const u32> all{sampling.cpus};
  const auto cpus = sampling.event.is_tracepoint() && !all.empty() ? all.first(1) : all;
  const std::size_t before = events_.size();
  for (const u32 cpu : cpus) {
    auto fd = open_sampling_event(sampling.event, sampling.period, static_cast<int>(cpu),
                                  sampling.include_idle);
    // A CPU that went offline since we read the list has nothing to sample.
    if (!fd && fd.error().code == ENODEV) continue;
    if (!fd) return std::unexpected(std::move(fd).error());
    const int event = fd->get();
    links_.push_back(TRY(attach_to_event(program, std::move(*fd))));
    events_.push_back(event);
  }
  if (events_.size() == before) return fail("no CPU to sample on");
  return {};
}

Status Attachments::start() {
  for (const int fd : events_)
    if (::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0) return fail_errno("start sampling");
  return {};
}

void Attachments::detach() {
  for (const int fd : events_) ::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
  events_.clear();
  links_.clear();
  multi_links_.clear();
}

}  // namespace wick
