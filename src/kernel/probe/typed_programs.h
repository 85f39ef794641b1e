// Programs whose arguments the verifier knows the types of: tracepoints and iterators that hand
// out trusted tasks. libbpf's own way to them (SEC("tp_btf/…"), SEC("iter/…")) reads and indexes
// the whole BTF of the kernel, 20 ms and 8 MB; these are found together with what slim_btf.h looks
// for.
//
//   SEC("wick_tp/sched_switch")      as tp_btf/sched_switch
//   SEC("wick_iter/task")            as iter/task
//   SEC("wick_iter.s/task")          as iter.s/task: may sleep
//   SEC("wick_fentry/vfs_read")      as fentry/vfs_read; wick_fexit likewise
//
// Used by BpfObject, which owns a TypedPrograms. One thread.
#pragma once

#include <bpf/libbpf.h>

#include <functional>
#include <map>
#include <string>

#include "base/ids.h"
#include "kernel/btf/slim_btf.h"

namespace wick {

class TypedPrograms {
 public:
  // Makes libbpf know these sections; before an object is opened, as often as one likes.
  static void register_sections();

  // Of the types that the object's programs are for: none until looked for.
  [[nodiscard]] TypeIds& ids() { return ids_; }
  // To be looked for together with the next one that is asked for; 3 ms for any number of them.
  void want(const std::string& type_name);
  // Of a type in the kernel's own BTF; 0 where it is not (gone, inlined, in a module).
  [[nodiscard]] u32 id_of(const std::string& type_name);
  // What the program is for, whatever its section says; before the load.
  void set_type(const std::string& program, const std::string& type_name);

  // libbpf calls back with nothing but a program while it opens or loads an object: this says whose
  // it is.
  class Scope {
   public:
    explicit Scope(TypedPrograms& programs);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    TypedPrograms* outer_;
  };

 private:
  static int on_open(bpf_program* program, long section);
  static int on_load(bpf_program* program, bpf_prog_load_opts* options, long section);

  TypeIds ids_;
  std::map<std::string, std::string, std::less<>> type_names_;  // by program
};

}  // namespace wick
