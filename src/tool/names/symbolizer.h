// Symbolizer: names of addresses, as often as they are asked for. A file is read for the addresses
// that nobody asked for before; what it answered is kept by file and offset (NameCache). Nothing is
// taken from the caller: descriptors are copied. One thread.
//
//   Symbolizer symbolizer;
//   auto facts = symbolizer.name({.path = "/bin/tool", .fd = &fd}, points, {},
//                                [&](std::size_t i, const PointName& name, const FileFacts&) { …
//                                });
//
// Where names of one file come from, best first: ObjectSymbols (its own tables, its debug file on
// this machine, then debuginfod where the person set DEBUGINFOD_URLS) and SourceLines.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/fd.h"
#include "base/result.h"
#include "proc/process_root.h"
#include "symbols/kernel_names.h"
#include "symbols/object_symbols.h"
#include "tool/names/file_names.h"

namespace wick {

struct SymbolizerOptions {
  bool lines = false;  // look for source lines and inlined calls too
  // 0: nothing is kept, as nobody asks twice.
  std::size_t cache_bytes = std::size_t{64} << 20;
};

struct NamedFile {
  std::string path;        // as its process sees it; "[vdso]" is the kernel's
  const Fd* fd = nullptr;  // null: it could not be opened while its process lived
  ProcessRoot root;        // where its process sees "/"
};

class Symbolizer {
 public:
  explicit Symbolizer(SymbolizerOptions options = {})
      : options_(options), cache_(options.cache_bytes) {}

  // Once for each point, by its index and in any order. The texts are good during the call.
  using Visit =
      std::function<void(std::size_t index, const PointName& name, const FileFacts& facts)>;
  // `points` are sorted by offset. Fails when the file cannot be read.
  [[nodiscard]] Result<FileFacts> name(const NamedFile& file, std::span<const CodePoint> points,
                                       const BudgetTerms& terms, const Visit& visit);
  // `wanted` is sorted and has each address once.
  [[nodiscard]] Result<KernelSymbols> name_kernel(std::span<const u64> wanted);

  [[nodiscard]] const NameCache& cache() const { return cache_; }
  // How often a file was read for names.
  [[nodiscard]] u64 files_read() const { return files_read_; }
  [[nodiscard]] const KernelNames& kernel() const { return kernel_; }

 private:
  struct Reading {
    ObjectSymbols& symbols;
    const NamedFile& file;
    std::span<const CodePoint> points;
    std::span<const u32> missing;  // of points, by position
  };
  // What was not found because somebody wants us to stop is not kept.
  void read(const Reading& reading, FileNames& names, const BudgetTerms& terms, const Visit& visit);

  SymbolizerOptions options_;
  NameCache cache_;
  KernelNames kernel_;
  u64 files_read_ = 0;
};

}  // namespace wick
