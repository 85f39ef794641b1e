#include "kernel/load_error.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>

#include "base/capabilities.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view kLogBegins = ": -- BEGIN PROG LOAD LOG --\n";
constexpr std::string_view kLogEnds = "-- END PROG LOAD LOG --";

// What libbpf said since it was silenced: one for the process, as libbpf has one way to print.
struct Said {
  std::string warning;  // the first says most
  std::string program;
  std::string log;
};
Said& said() {
  static Said all;
  return all;
}

std::string printed(const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  const int size = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(size < 0 ? 0 : static_cast<std::size_t>(size), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, args);
  return text;
}

// "libbpf: prog 'on_switch': -- BEGIN PROG LOAD LOG --\n…-- END PROG LOAD LOG --"
bool keep_log(std::string_view text) {
  const std::size_t begin = text.find(kLogBegins);
  if (begin == std::string_view::npos) return false;
  std::string_view program = text.substr(0, begin);
  take_until(program, '\'');
  said().program = take_until(program, '\'');
  std::string_view log = text.substr(begin + kLogBegins.size());
  said().log = log.substr(0, log.rfind(kLogEnds));
  return true;
}

int keep_warning(enum libbpf_print_level level, const char* format, va_list args) {
  if (level != LIBBPF_WARN) return 0;
  const std::string text = printed(format, args);
  if (!keep_log(text) && said().warning.empty()) said().warning = trim(text);
  return 0;
}

bool is_privileged() {
  const u64 held = own_capabilities().effective;
  constexpr u64 kBoth = capability_bit(CAP_BPF) | capability_bit(CAP_PERFMON);
  return (held & kBoth) == kBoth || (held & capability_bit(CAP_SYS_ADMIN)) != 0;
}

}  // namespace

void silence_libbpf() {
  said() = {};
  libbpf_set_print(keep_warning);
}

std::string verifier_complaint(std::string_view log) {
  constexpr std::array<std::string_view, 3> kFigures{"processed ", "verification time ",
                                                     "stack depth "};
  std::string_view last;
  while (!log.empty()) {
    const std::string_view line = trim(take_until(log, '\n'));
    bool is_figure = line.empty();
    for (const std::string_view figure : kFigures) is_figure |= line.starts_with(figure);
    if (!is_figure) last = line;
  }
  return std::string(last);
}

Error load_error(const LoadFailure& failure) {
  Error error{.message = "load BPF programs", .code = failure.code, .hint = {}};
  const bool is_refused = failure.code == EPERM || failure.code == EACCES;
  if (!failure.has_btf) {
    error.code = 0;
    error.message += ": this kernel has no BTF (/sys/kernel/btf/vmlinux)";
    error.hint = "it needs one built with CONFIG_DEBUG_INFO_BTF=y";
  } else if (is_refused && !failure.is_privileged) {
    error.hint = "needs CAP_BPF and CAP_PERFMON, or root; `wick doctor` tells what is missing";
  } else if (const std::string complaint = verifier_complaint(failure.log); !complaint.empty()) {
    // The verifier's EACCES is not about who we are, nor its EINVAL about what was asked for.
    error.code = 0;
    error.message += fmt::format(": this kernel's verifier refuses {}: {}",
                                 printable(failure.program), printable(complaint));
    error.hint = "Wick does not know this kernel well enough; please report it";
  } else if (is_refused) {
    error.hint =
        "CAP_BPF and CAP_PERFMON are there: a user namespace, seccomp, a security module or "
        "lockdown "
        "forbids it";
  } else {
    error.hint = failure.warning;
  }
  return error;
}

std::unexpected<Error> bpf_load_error(int code) {
  return std::unexpected(load_error({.code = code,
                                     .warning = said().warning,
                                     .program = said().program,
                                     .log = said().log,
                                     .has_btf = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0,
                                     .is_privileged = is_privileged()}));
}

}  // namespace wick
