#include "tool/names/symbolizer.h"

#include <sys/stat.h>

#include <vector>

#include "base/clock.h"

namespace wick {
namespace {

constexpr std::string_view kVdsoName = "[vdso]";

std::optional<NamedFileIdentity> identity_of_named(const NamedFile& file) {
  if (file.path == kVdsoName) return NamedFileIdentity{};
  struct stat info{};
  if (file.fd == nullptr || ::fstat(file.fd->get(), &info) != 0) return std::nullopt;
  return NamedFileIdentity{.device = info.st_dev,
                           .inode = info.st_ino,
                           .bytes = static_cast<u64>(info.st_size),
                           .changed_ns = static_cast<u64>(info.st_mtim.tv_sec) * kNanosPerSecond +
                                         static_cast<u64>(info.st_mtim.tv_nsec)};
}

PlaceName name_of_place(const NamesAnswer& answer, const NamedPlace& place) {
  const auto text = [&](u32 number) -> std::string_view { return answer.texts.at(number); };
  PlaceName out{.frame = {.function = text(place.name != 0 ? place.name : place.spot.function),
                          .file = text(place.spot.file),
                          .line = place.spot.line},
                .inlined = {},
                .vaddr = place.vaddr,
                .function_start = {},
                .is_broken = place.is_broken};
  if (place.name != 0) out.function_start = place.function_start;
  for (u32 i = 0; i < place.inlined_count; i++) {
    const SourceSpot& call = answer.inlined[place.first_inlined + i];
    out.inlined.push_back(
        {.function = text(call.function), .file = text(call.file), .line = call.line});
  }
  return out;
}

}  // namespace

Result<KernelSymbols> Symbolizer::name_kernel(std::span<const u64> wanted) {
  return kernel_.resolve(wanted, monotonic_ns());
}

Result<FileFacts> Symbolizer::name(const NamedFile& file, std::span<const NamePlace> places,
                                   const FileWorker::Stop& stop, const Visit& visit) {
  const auto identity = identity_of_named(file);
  if (!identity) return FileFacts{};
  FileNames once;
  FileNames& names = options_.cache_bytes != 0 ? cache_.use(*identity) : once;
  NamesQuestion question{.path = file.path, .lines = options_.lines, .places = {}};
  std::vector<u32> missing;
  for (u32 i = 0; i < places.size(); i++) {
    if (names.contains(places[i])) continue;
    missing.push_back(i);
    question.places.push_back(places[i]);
  }
  if (!missing.empty()) {
    files_read_++;
    const Fd none;
    const auto answer =
        worker_->names(file.fd != nullptr ? *file.fd : none, question, file.root, stop);
    if (!answer || !answer->readable) {
      cache_.shrink();
      if (!answer) return std::unexpected(answer.error());
      return FileFacts{};
    }
    take(*answer, places, missing, names, visit);
  }
  auto next = missing.begin();
  for (u32 i = 0; i < places.size(); i++) {
    if (next != missing.end() && *next == i)
      ++next;
    else
      visit(i, *names.find(places[i]), names.facts());
  }
  FileFacts facts = names.facts();
  cache_.shrink();
  return facts;
}

void Symbolizer::take(const NamesAnswer& answer, std::span<const NamePlace> places,
                      std::span<const u32> missing, FileNames& names, const Visit& visit) {
  FileFacts& facts = names.facts();
  facts.readable = true;
  facts.build_id = answer.build_id;
  facts.lines_looked_for = options_.lines;
  facts.lines_found = facts.lines_found || answer.lines_found;
  facts.lines_damaged = facts.lines_damaged || answer.lines_damaged;
  facts.lines_without_dwo += answer.missing_split_units;
  for (std::size_t i = 0; i < missing.size(); i++) {
    const PlaceName name = name_of_place(answer, answer.places[i]);
    visit(missing[i], name, facts);
    const bool is_final = name.function_start || !answer.spent.stopped;
    if (options_.cache_bytes != 0 && is_final) names.add(places[missing[i]], name);
  }
}

}  // namespace wick
