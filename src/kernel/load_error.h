// Why the kernel refused a BPF object, in words: who lacks a privilege is told which one, and a
// program the verifier refuses is told what the verifier said. One thread.
//
//   silence_libbpf();                                     // before the open
//   if (const int code = bpf_object__load(object)) return bpf_load_error(-code);
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace wick {

// libbpf prints to stderr by itself, and its hints mislead (FIELD.md); it is silenced for the
// process, and what it said since is kept for the error.
void silence_libbpf();
[[nodiscard]] std::unexpected<Error> bpf_load_error(int code);

// What is known when a load fails.
struct LoadFailure {
  int code = 0;              // an errno
  std::string warning = {};  // libbpf's first
  std::string program = {};  // that the verifier looked at; "" when it did not get so far
  std::string log = {};      // the verifier's
  bool has_btf = true;
  bool is_privileged = true;  // CAP_BPF and CAP_PERFMON, or what stands for them
};
[[nodiscard]] Error load_error(const LoadFailure& failure);

// The verifier's complaint: the last line of its log before its figures.
[[nodiscard]] std::string verifier_complaint(std::string_view log);

}  // namespace wick
