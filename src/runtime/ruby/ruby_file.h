// Where a CRuby interpreter is in a file, and how its version lays out what a profiler reads.
// Thread rule: free functions and values.
//
//   if (const auto ruby = find_ruby(elf)) … ruby->version …      // most files: nothing
//
// The layout of 3.1 is known by heart. What can be read in the code of functions the library
// exports is checked there (rb_iseq_label, rb_iseq_first_lineno), and every sample checks that
// thread and execution context lead to each other.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/ids.h"
#include "object/elf_file.h"
#include "runtime/runtime.h"

namespace wick {

// An interpreter in a file. Addresses are the file's own (vaddr).
struct RubyFile {
  std::string version;    // "3.1.2"
  bool is_known = false;  // else the rest is 0
  u64 tls_index = 0;      // {module, offset} of ruby_current_ec
  u64 exec = 0;           // rb_vm_exec
  u32 exec_bytes = 0;
  u64 symbols = 0;  // the table of all names (global_symbols); 0: C functions have no names
};

// Nothing when the file holds no interpreter.
[[nodiscard]] std::optional<RubyFile> find_ruby(const ElfFile& elf);

class RubyRuntimeFile : public RuntimeFile {
 public:
  explicit RubyRuntimeFile(RubyFile file) : file_(std::move(file)) {}

  [[nodiscard]] const RubyFile& file() const { return file_; }
  [[nodiscard]] const Runtime& runtime() const override;
  [[nodiscard]] std::string version() const override { return file_.version; }
  [[nodiscard]] std::optional<wick_runtime> attach(const RuntimeProcess& process) const override;
  void pack(WireWriter& out) const override;

 private:
  RubyFile file_;
};

}  // namespace wick
