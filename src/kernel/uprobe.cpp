#include "kernel/uprobe.h"

#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "kernel/uprobe_multi.h"

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

std::unexpected<Error> attach_error(const UprobePlaces& places, int code) {
  Error error{.message = fmt::format("put a uprobe on {}", bpf_program__name(places.program)),
              .code = code,
              .hint = {}};
  if (code == EPERM || code == EACCES)
    error.hint = "needs CAP_PERFMON and CAP_BPF (some kernels: CAP_SYS_ADMIN), or root";
  if (code == ESRCH) error.hint = "the process ended";
  if (code == ENOENT || code == EOPNOTSUPP)
    error.hint = "this kernel has no uprobes: it needs CONFIG_UPROBES and CONFIG_UPROBE_EVENTS";
  return std::unexpected(std::move(error));
}

}  // namespace

Uprobes Uprobes::prepare(std::span<bpf_program* const> programs, u32 pid) {
  const bool multi = (pid == 0 || sees_all_threads()) && has_uprobe_multi();
  if (multi)
    for (bpf_program* program : programs)
      bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(kUprobeMulti));
  return Uprobes{pid, multi};
}

Status Uprobes::attach(const UprobePlaces& places) {
  if (places.offsets.empty()) return {};
  count_ += places.offsets.size();
  if (multi_) return attach_multi(places);
  for (std::size_t i = 0; i < places.offsets.size(); i++) TRY(attach_one(places, i));
  return {};
}

Status Uprobes::attach_multi(const UprobePlaces& places) {
  UprobeMultiAttr attr{.prog_fd = static_cast<u32>(bpf_program__fd(places.program)),
                       .attach_type = kUprobeMulti,
                       .path = reinterpret_cast<u64>(places.path.c_str()),
                       .offsets = reinterpret_cast<u64>(places.offsets.data()),
                       .cookies = reinterpret_cast<u64>(places.cookies.data()),
                       .count = static_cast<u32>(places.offsets.size()),
                       .multi_flags = places.at_return ? kUprobeMultiReturn : 0,
                       .pid = pid_};
  Fd link = create_uprobe_multi(attr);
  if (!link.valid()) return attach_error(places, errno);
  multi_links_.push_back(std::move(link));
  return {};
}

Status Uprobes::attach_one(const UprobePlaces& places, std::size_t index) {
  bpf_uprobe_opts options{};
  options.sz = sizeof(options);
  options.retprobe = places.at_return;
  options.bpf_cookie = places.cookies[index];
  Link link{bpf_program__attach_uprobe_opts(places.program, pid_ == 0 ? -1 : static_cast<int>(pid_),
                                            places.path.c_str(), places.offsets[index], &options)};
  if (!link) return attach_error(places, errno);
  links_.push_back(std::move(link));
  return {};
}

void Uprobes::detach() {
  multi_links_.clear();
  links_.clear();
}

}  // namespace wick
