// BpfObject: one BPF object in RAII, by names: open → set constants and sizes → load → attach.
// Generic code goes by this alone, so that what has no skeleton (a compiled script) loads, attaches
// and is drained by the same code. When it goes out of scope every program and map of it is gone
// from the kernel. One thread.
//
//   BpfObject object = TRY(BpfObject::open(elf_bytes, "script"));
//   TRY(object.set_constant("max_depth", u32{127}));
//   object.probe("on_call")->target = "vfs_read";
//   TRY(object.load());
//   TRY(object.attach_all(attachments));
//   const u64* lost = TRY(object.variable<u64>("events_lost"));
#pragma once

#include <bpf/libbpf.h>

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "kernel/btf/slim_btf.h"
#include "kernel/probe/attachments.h"
#include "kernel/probe/probe_spec.h"
#include "kernel/probe/typed_programs.h"

namespace wick {

class BpfObject {
 public:
  // libbpf's object and who closes it; no object: errno says why.
  struct Opened {
    std::shared_ptr<void> owner;
    bpf_object* object = nullptr;
  };
  using Open = std::function<Opened(const bpf_object_open_opts&)>;

  // `elf` is a BPF object file; it need not outlive the call.
  [[nodiscard]] static Result<BpfObject> open(std::span<const std::byte> elf, const char* name);
  // The same for who has libbpf open it, as skeletons do.
  [[nodiscard]] static Result<BpfObject> open(std::span<const std::byte> elf, const Open& open);
  BpfObject(BpfObject&&) = default;
  BpfObject& operator=(BpfObject&&) = default;
  BpfObject(const BpfObject&) = delete;
  BpfObject& operator=(const BpfObject&) = delete;
  ~BpfObject() = default;

  [[nodiscard]] bpf_object* get() const { return object_; }
  // nullptr where there is none of that name.
  [[nodiscard]] bpf_map* find_map(const char* name) const;
  [[nodiscard]] bpf_program* find_program(const char* name) const;
  [[nodiscard]] Result<bpf_map*> map(const char* name) const;
  [[nodiscard]] Result<bpf_program*> program(const char* name) const;

  // A global variable, in its own memory until the load and in the kernel's after it; the address
  // stays. A pointer to nothing where there is none of that name or of that size.
  template <class T>
  [[nodiscard]] T* find_variable(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<std::byte> bytes = variable_bytes(name);
    return bytes.size() == sizeof(T) ? reinterpret_cast<T*>(bytes.data()) : nullptr;
  }
  template <class T>
  [[nodiscard]] Result<T*> variable(std::string_view name) const {
    if (T* found = find_variable<T>(name)) return found;
    return no_variable(name, sizeof(T));
  }
  [[nodiscard]] bool has_variable(std::string_view name) const {
    return !variable_bytes(name).empty();
  }
  // A constant (const volatile), before the load.
  template <class T>
  [[nodiscard]] Status set_constant(std::string_view name, const T& value) {
    T* at = TRY(variable<T>(name));
    if (is_loaded_) return already_loaded(name);
    std::memcpy(at, &value, sizeof(value));
    return {};
  }

  // Where its programs run: what their sections say until somebody says otherwise.
  [[nodiscard]] const std::vector<ProbeSpec>& probes() const { return probes_; }
  [[nodiscard]] std::vector<ProbeSpec>& probes() { return probes_; }
  // The first of a program; nullptr where there is none. Good until one is added.
  [[nodiscard]] ProbeSpec* probe(std::string_view program);
  [[nodiscard]] ProbeSpec* probe(const bpf_program* program);
  void add_probe(ProbeSpec probe) { probes_.push_back(std::move(probe)); }
  // Where programs on many functions (SEC("kprobe.multi"), SEC("kprobe")) run; a function's cookie
  // is its index.
  void set_functions(std::span<const u64> addresses);
  // Of what the probe is attached to in the kernel's own BTF; 0 where it is not.
  [[nodiscard]] u32 type_id(const ProbeSpec& probe);

  [[nodiscard]] Status load();
  // Every program that was loaded, at all its probes; sampling waits for into.start().
  [[nodiscard]] Status attach_all(Attachments& into) const;
  // One program at all its probes.
  [[nodiscard]] Status attach(const bpf_program* program, Attachments& into,
                              std::string_view what = {}) const;

 private:
  struct Variable {
    std::byte* at;
    std::size_t size;
  };

  BpfObject(Opened opened, SlimBtf btf, std::unique_ptr<TypedPrograms> types);
  [[nodiscard]] static Result<BpfObject> open_with(const Open& open, SlimBtf btf);
  void index_variables();
  [[nodiscard]] std::span<std::byte> variable_bytes(std::string_view name) const;
  [[nodiscard]] std::unexpected<Error> no_variable(std::string_view name, std::size_t size) const;
  [[nodiscard]] static std::unexpected<Error> already_loaded(std::string_view name);
  void prepare_probes();
  [[nodiscard]] Status map_variables();

  std::shared_ptr<void> owner_;
  bpf_object* object_;
  SlimBtf btf_;
  std::unique_ptr<TypedPrograms> types_;
  std::unordered_map<std::string_view, Variable> variables_;  // names are the object's BTF's
  std::vector<ProbeSpec> probes_;
  bool is_loaded_ = false;
};

}  // namespace wick
