#include "runtime/runtime_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "runtime/registry.h"

namespace wick {
namespace {

// What the kernel may still be reading is written anew this much later; a walk takes microseconds.
constexpr u64 kEntryQuarantineNs = kNanosPerSecond;

}  // namespace

std::shared_ptr<const RuntimeFile> find_runtime(const ElfFile& elf) {
  for (const Runtime* runtime : kRuntimes)
    if (auto file = runtime->find(elf)) return file;
  return nullptr;
}

void pack_runtime(WireWriter& out, const RuntimeFile* file) {
  out.put<u8>(file == nullptr ? u8{0} : u8{1});
  if (file == nullptr) return;
  out.put(static_cast<u32>(file->runtime().kind));
  file->pack(out);
}

std::shared_ptr<const RuntimeFile> unpack_runtime(ByteReader& in) {
  if (in.byte() == 0) return nullptr;
  const u32 kind = in.fixed<u32>();
  for (const Runtime* runtime : kRuntimes)
    if (static_cast<u32>(runtime->kind) == kind)
      if (auto file = runtime->unpack(in)) return file;
  in.skip(~u64{0});
  return nullptr;
}

RuntimeWatch::RuntimeWatch(Install install) : install_(std::move(install)), entries_(1) {}

u32 RuntimeWatch::acquire(const std::shared_ptr<const RuntimeFile>& file,
                          const RuntimeProcess& process) {
  const auto [known, is_new] = numbers_.try_emplace({file.get(), process.bias});
  if (is_new) {
    const auto runtime = file->attach(process);
    if (!runtime) unknown_versions_[file->runtime().kind] = file->version();
    const u32 number = runtime ? free_number() : 0;
    if (number == 0 || !install_(number, *runtime)) {
      numbers_.erase({file.get(), process.bias});
      return 0;
    }
    known->second = number;
    entries_[number] = {.file = file, .bias = process.bias};
  }
  entries_[known->second].users++;
  return known->second;
}

void RuntimeWatch::release(u32 number) {
  if (number == 0 || --entries_[number].users != 0) return;
  // A child may have it for a moment longer than its parent; records may be on their way.
  entries_[number].usable_ns = monotonic_ns() + kEntryQuarantineNs;
}

u32 RuntimeWatch::free_number() {
  if (entries_.size() < WICK_RUNTIME_ENTRIES) {
    entries_.emplace_back();
    return static_cast<u32>(entries_.size() - 1);
  }
  const u64 now = monotonic_ns();
  for (u32 number = 1; number < entries_.size(); number++) {
    const Entry& entry = entries_[number];
    if (entry.users != 0 || entry.usable_ns > now) continue;
    numbers_.erase({entry.file.get(), entry.bias});
    return number;
  }
  return 0;
}

FrameNamer& RuntimeWatch::namer(const Runtime& runtime) {
  auto& namer = namers_[runtime.kind];
  if (!namer) namer = runtime.make_namer();
  return *namer;
}

void RuntimeWatch::name_frames(ImageId image, u32 pid, u32 number, std::span<u64> frames) {
  std::vector<u64*> words;
  for (u64& frame : frames)
    if (is_frame(frame)) words.push_back(&frame);
  if (words.empty()) return;
  if (number >= entries_.size() || !entries_[number].file) {
    for (u64* word : words) *word = FunctionTable::gone(WICK_RUNTIME_NONE);
    return;
  }
  const Entry& entry = entries_[number];
  const Runtime& runtime = entry.file->runtime();
  namer(runtime).name({image, *entry.file, entry.bias, ProcessMemory{pid}}, words, functions_);
  const u64 gone = FunctionTable::gone(runtime.kind);
  gone_[runtime.kind] += static_cast<u64>(
      std::ranges::count_if(words, [&](const u64* word) { return *word == gone; }));
}

std::vector<RuntimeReport> RuntimeWatch::reports(const Totals& totals) const {
  std::vector<RuntimeReport> out;
  for (const Runtime* runtime : kRuntimes) {
    const wick_runtime_totals& counted = totals[runtime->kind];
    RuntimeReport report{.name = runtime->name, .frames = counted.frames, .losses = {}};
    for (std::size_t i = 0; i < runtime->losses.size(); i++)
      report.losses.emplace_back(runtime->losses[i], counted.losses[i]);
    const u64 refused = functions_.refused(runtime->kind);
    report.losses.emplace_back(runtime->gone_loss,
                               gone_[runtime->kind] - std::min(refused, gone_[runtime->kind]));
    report.losses.emplace_back(runtime->refused_loss, refused);
    std::erase_if(report.losses, [](const auto& loss) { return loss.second == 0; });
    if (report.frames != 0 || !report.losses.empty()) out.push_back(std::move(report));
  }
  return out;
}

std::vector<std::string> RuntimeWatch::advice() const {
  std::vector<std::string> out;
  for (const Runtime* runtime : kRuntimes)
    if (const std::string& version = unknown_versions_[runtime->kind]; !version.empty())
      out.push_back(fmt::format("{} {} has no frames of its own here — known are {}", runtime->name,
                                version, runtime->versions));
  return out;
}

}  // namespace wick
