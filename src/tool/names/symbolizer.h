// Symbolizer: names of addresses, as often as they are asked for. A file is read, by a confined
// worker, for the addresses that nobody asked for before; what it answered is kept by file and
// offset (NameCache). Nothing is taken from the caller. One thread.
//
//   Symbolizer symbolizer{worker};
//   auto facts = symbolizer.name({.path = "/bin/tool", .fd = &fd}, places, stop,
//                                [&](std::size_t i, const PlaceName& name, const FileFacts&) { …
//                                });
//
//   StackResolver ──► Symbolizer ──new addresses──► FileWorker ──► ObjectSymbols, SourceLines
//                         └─ NameCache, KernelNames                   └─ debug files, debuginfod
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "proc/process_root.h"
#include "symbols/kernel_names.h"
#include "tool/names/file_names.h"
#include "worker/file_worker.h"

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
  explicit Symbolizer(std::shared_ptr<FileWorker> worker, SymbolizerOptions options = {})
      : worker_(std::move(worker)), options_(options), cache_(options.cache_bytes) {}

  // Once for each point, by its index and in any order. The texts are good during the call.
  using Visit =
      std::function<void(std::size_t index, const PlaceName& name, const FileFacts& facts)>;
  // `places` are cheapest in ascending order. Fails when the file was given up, or `stop` said so.
  [[nodiscard]] Result<FileFacts> name(const NamedFile& file, std::span<const NamePlace> places,
                                       const FileWorker::Stop& stop, const Visit& visit);
  // `wanted` is sorted and has each address once.
  [[nodiscard]] Result<KernelSymbols> name_kernel(std::span<const u64> wanted);

  [[nodiscard]] const NameCache& cache() const { return cache_; }
  // How often a file was read for names.
  [[nodiscard]] u64 files_read() const { return files_read_; }
  [[nodiscard]] const KernelNames& kernel() const { return kernel_; }

 private:
  // Visits what the worker answers, and keeps it; not what was not found because of a stop.
  void take(const NamesAnswer& answer, std::span<const NamePlace> places,
            std::span<const u32> missing, FileNames& names, const Visit& visit);

  std::shared_ptr<FileWorker> worker_;
  SymbolizerOptions options_;
  NameCache cache_;
  KernelNames kernel_;
  u64 files_read_ = 0;
};

}  // namespace wick
