// Object<Skeleton>: one BPF object in RAII. open() → set rodata and sizes → load() → attach.
// When it goes out of scope every program, map and link of it is gone from the kernel.
//
//   auto bpf = TRY(Object<profile_bpf>::open());
//   bpf.rodata().max_depth = 127;
//   TRY(bpf.load());
#pragma once

#include <bpf/libbpf.h>

#include <concepts>
#include <memory>
#include <type_traits>

#include "base/ids.h"
#include "base/result.h"

// bpftool's skeletons name these without a namespace.
using wick::u32;
using wick::u64;
using wick::u8;
using s32 = wick::i32;

namespace wick {

template <class S>
concept Skeleton = requires(S* s) {
  { S::open() } -> std::same_as<S*>;
  { S::load(s) } -> std::same_as<int>;
  S::destroy(s);
};

// libbpf prints to stderr by itself, and its hints mislead (FIELD.md); it is silenced for the
// process, and what it said last is kept for the error.
void silence_libbpf();
[[nodiscard]] std::unexpected<Error> bpf_load_error(int code);

template <Skeleton S>
class Object {
 public:
  using Rodata = std::remove_pointer_t<decltype(S::rodata)>;

  [[nodiscard]] static Result<Object> open() {
    silence_libbpf();
    S* skeleton = S::open();
    if (skeleton == nullptr) return fail_errno("open BPF object");
    return Object{skeleton};
  }
  [[nodiscard]] Status load() {
    if (const int code = S::load(skeleton_.get()); code != 0) return bpf_load_error(-code);
    return {};
  }
  S* get() { return skeleton_.get(); }
  S* operator->() { return skeleton_.get(); }
  Rodata& rodata() { return *skeleton_->rodata; }

 private:
  explicit Object(S* skeleton) : skeleton_(skeleton) {}
  struct Destroy {
    void operator()(S* skeleton) const { S::destroy(skeleton); }
  };
  std::unique_ptr<S, Destroy> skeleton_;
};

struct LinkDelete {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Link = std::unique_ptr<bpf_link, LinkDelete>;

}  // namespace wick
