#include "kernel/probe/iterator.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/fd.h"
#include "kernel/probe/link.h"

namespace wick {

Result<std::string> read_iterator(const bpf_program* program, const char* what) {
  const Link link{bpf_program__attach_iter(program, nullptr)};
  if (!link) return fail_errno(what);
  const Fd iterator{bpf_iter_create(bpf_link__fd(link.get()))};
  if (!iterator.valid()) return fail_errno(what);
  std::string out;
  std::array<char, 16'384> written;
  while (true) {
    const ssize_t got = ::read(iterator.get(), written.data(), written.size());
    if (got == 0) return out;
    if (got > 0) out.append(written.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EAGAIN && errno != EINTR) return fail_errno(what);
  }
}

Status run_iterator(const bpf_program* program, const char* what) {
  TRY(read_iterator(program, what));
  return {};
}

}  // namespace wick
