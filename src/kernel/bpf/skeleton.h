// Object<Skeleton>: a BpfObject with the names that bpftool made of it, for the file of one tool:
// typed constants, maps and programs. Generic code takes the BpfObject.
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
#include "kernel/bpf/bpf_object.h"

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
  S::destroy(s);
};

template <Skeleton S>
class Object : public BpfObject {
 public:
  using Rodata = std::remove_pointer_t<decltype(S::rodata)>;

  [[nodiscard]] static Result<Object> open() {
    std::size_t size = 0;
    const void* elf = S::elf_bytes(&size);
    S* skeleton = nullptr;
    BpfObject object = TRY(
        BpfObject::open({static_cast<const std::byte*>(elf), size},
                        [&skeleton](const bpf_object_open_opts& options) -> Opened {
                          skeleton = S::open(&options);
                          if (skeleton == nullptr) return {};
                          return {std::shared_ptr<void>(skeleton, &Object::destroy), skeleton->obj};
                        }));
    return Object{std::move(object), skeleton};
  }
  S& skeleton() { return *skeleton_; }
  S* operator->() { return skeleton_; }
  Rodata& rodata() { return *skeleton_->rodata; }

 private:
  Object(BpfObject object, S* skeleton) : BpfObject(std::move(object)), skeleton_(skeleton) {}
  static void destroy(void* skeleton) { S::destroy(static_cast<S*>(skeleton)); }

  S* skeleton_;
};

}  // namespace wick
