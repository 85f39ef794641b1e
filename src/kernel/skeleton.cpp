#include "kernel/skeleton.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <string>

#include "base/text.h"

namespace wick {
namespace {

// The last warning of libbpf: one per process is enough, commands run one at a time.
std::string& last_warning() {
  static std::string text;
  return text;
}

int keep_warning(enum libbpf_print_level level, const char* format, va_list args) {
  if (level != LIBBPF_WARN) return 0;
  char line[512];
  std::vsnprintf(line, sizeof(line), format, args);
  // The verifier's log comes in here too, whole; the first complaint says most.
  if (last_warning().empty()) last_warning() = trim(line);
  return 0;
}

}  // namespace

void silence_libbpf() {
  last_warning().clear();
  libbpf_set_print(keep_warning);
}

std::unexpected<Error> bpf_load_error(int code) {
  Error error{.message = "load BPF programs", .code = code, .hint = {}};
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    error.code = 0;
    error.message += ": this kernel has no BTF (/sys/kernel/btf/vmlinux)";
    error.hint = "it needs one built with CONFIG_DEBUG_INFO_BTF=y";
  } else if (code == EPERM || code == EACCES) {
    error.hint = "needs CAP_BPF and CAP_PERFMON, or root; `wick doctor` tells what is missing";
  } else if (!last_warning().empty()) {
    error.hint = last_warning();
  }
  return std::unexpected(std::move(error));
}

}  // namespace wick
