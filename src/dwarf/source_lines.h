// SourceLines: where in the source an address came from, and which calls were inlined there. From
// DWARF 2 to 5 of the file itself, else of its debug file, else of debuginfod where the person set
// DEBUGINFOD_URLS. Ask for many addresses at once: only units they are in are read, and one unit is
// in memory at a time. The file is not trusted: time and memory are bounded. One thread.
//
//   auto lines = SourceLines::open(elf, {.path = "/usr/bin/app"});
//   if (lines) lines->resolve(vaddrs, [&](std::size_t i, std::span<const SourceFrame> frames) {
//     // innermost first; the last one is the function itself
//   });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dwarf/function_names.h"
#include "dwarf/function_scopes.h"
#include "dwarf/line_program.h"
#include "dwarf/split_files.h"
#include "object/elf_file.h"
#include "proc/process_root.h"

namespace wick {

struct SourceFrame {
  std::string_view function;  // readable; empty when not known
  std::string_view file;      // as the compiler wrote it: folder, then name; empty when not known
  u32 line = 0;
};

struct SourceOptions {
  std::string path;  // as the process sees it, to find the debug file by; may be empty
  ProcessRoot root;  // where the process sees "/"
  DemangleStyle style = DemangleStyle::full;
  bool debug_files = true;  // and .dwo files
};

class SourceLines {
 public:
  // Called once for each address asked for, by its index; no frames: nothing is known. What it is
  // given is valid during the call.
  using Visit = std::function<void(std::size_t index, std::span<const SourceFrame>)>;

  // `elf` must outlive this. Nothing: there is no debug information.
  [[nodiscard]] static std::optional<SourceLines> open(const ElfFile& elf,
                                                       const SourceOptions& options = {});

  // In any order.
  void resolve(std::span<const u64> vaddrs, const Visit& visit);
  // Something did not make sense, or was too much: what could be read was. After resolve().
  [[nodiscard]] bool damaged() const { return damaged_ || info_->damaged(); }
  // Units whose .dwo was not found: their addresses have no lines. After resolve().
  [[nodiscard]] u64 missing_split_units() const { return split_.missing(); }

 private:
  SourceLines(std::shared_ptr<const ElfFile> extra, const ElfFile& elf,
              const SourceOptions& options)
      : extra_(std::move(extra)),
        info_(std::make_unique<DebugInfo>(elf)),
        split_(options.root, options.path, elf.bytes().shared_budget()),
        style_(options.style),
        names_(options.style) {
    if (!options.debug_files) split_.forbid();
  }

  void resolve_unit(const DwarfUnit& unit, std::span<const u64> sorted,
                    std::span<const u32> positions, const Visit& visit);
  // Where the entries of a unit are that has addresses of ours.
  struct Entries {
    DebugInfo& info;
    FunctionNames& names;
    bool missing;  // they are in a file we do not have
  };
  void make_frames(u32 scope, const SourcePlace& place, LineProgram* lines, const Entries& from);

  std::shared_ptr<const ElfFile> extra_;  // the debug file, when it is one
  std::unique_ptr<DebugInfo> info_;
  SplitFiles split_;
  DemangleStyle style_;
  FunctionNames names_;
  FunctionScopes scopes_;
  std::vector<SourcePlace> places_;
  std::vector<SourceFrame> frames_;
  bool damaged_ = false;  // in a .dwo
};

}  // namespace wick
