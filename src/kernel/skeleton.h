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
#include <span>
#include <type_traits>
#include <utility>

#include "base/ids.h"
#include "base/result.h"
#include "kernel/btf/slim_btf.h"
#include "kernel/link.h"
#include "kernel/typed_programs.h"

// bpftool's skeletons name these without a namespace.
using wick::u32;
using wick::u64;
using wick::u8;
using s32 = wick::i32;

namespace wick {

template <class S>
concept Skeleton = requires(S* s, const bpf_object_open_opts* options, std::size_t* size) {
  { S::open(options) } -> std::same_as<S*>;
  { S::elf_bytes(size) } -> std::same_as<const void*>;
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
    know_typed_programs();
    Object object = TRY(open_with(SlimBtf::reserve()));
    if (object.btf_.path.empty()) return object;
    std::size_t size = 0;
    const void* elf = S::elf_bytes(&size);
    // Now it is known which types its programs are for, and one look at the kernel's finds all.
    if (object.btf_.fill({static_cast<const std::byte*>(elf), size}, type_ids())) return object;
    return open_with({});
  }
  [[nodiscard]] Status load() {
    const int code = S::load(skeleton_.get());
    btf_ = {};  // read by now
    if (code != 0) return bpf_load_error(-code);
    return {};
  }
  S* get() { return skeleton_.get(); }
  S* operator->() { return skeleton_.get(); }
  Rodata& rodata() { return *skeleton_->rodata; }

 private:
  [[nodiscard]] static Result<Object> open_with(SlimBtf btf) {
    bpf_object_open_opts options{};
    options.sz = sizeof(options);
    if (!btf.path.empty()) options.btf_custom_path = btf.path.c_str();
    S* skeleton = S::open(&options);
    if (skeleton == nullptr) return fail_errno("open BPF object");
    return Object{skeleton, std::move(btf)};
  }
  Object(S* skeleton, SlimBtf btf) : skeleton_(skeleton), btf_(std::move(btf)) {}
  struct Destroy {
    void operator()(S* skeleton) const { S::destroy(skeleton); }
  };
  std::unique_ptr<S, Destroy> skeleton_;
  SlimBtf btf_;
};

}  // namespace wick
