#include "kernel/probe/link.h"

namespace wick {

Result<Link> attach_to_event(const bpf_program* program, Fd event, u64 cookie) {
  bpf_perf_event_opts options{};
  options.sz = sizeof(options);
  options.bpf_cookie = cookie;
  bpf_link* link = bpf_program__attach_perf_event_opts(program, event.get(), &options);
  if (link == nullptr) return fail_errno("attach to the event");
  static_cast<void>(event.release());
  return Link{link};
}

}  // namespace wick
