#include "dwarf/function_names.h"

namespace wick {
namespace {

// Inlined call, abstract function, declaration: three in practice.
constexpr int kLongestChain = 16;
constexpr u64 kUsualEntryBytes = 512;
constexpr u64 kLongestEntry = 64U << 10;
constexpr std::size_t kLongestFunctionName = 4096;
// Of one file. A large program has some ten thousand names of 100 bytes.
constexpr u64 kMostNameBytes = u64{16} << 20;

}  // namespace

const std::string& FunctionNames::of(DebugInfo& info, u64 entry) {
  const auto [at, is_new] = by_entry_.try_emplace(entry);
  if (is_new && bytes_ < kMostNameBytes) {
    at->second = find(info, entry).substr(0, kLongestFunctionName);
    bytes_ += at->second.size() + sizeof(*at);
  }
  return at->second;
}

std::string FunctionNames::find(DebugInfo& info, u64 entry) const {
  std::string plain;
  DwarfEntry values;
  for (int i = 0; i < kLongestChain; i++) {
    const DwarfUnit* unit = info.unit_at(entry);
    const Abbreviations* shapes = unit != nullptr ? info.shapes(*unit) : nullptr;
    if (shapes == nullptr) break;
    bool whole = false;
    for (const u64 size : {kUsualEntryBytes, kLongestEntry}) {
      ByteReader in = info.entries(*unit, entry, size);
      const Abbreviation* shape = shapes->find(in.uleb());
      whole = shape != nullptr && read_entry(in, *shapes, *shape, unit->format, values);
      if (whole || shape == nullptr) break;
    }
    if (!whole) break;
    const std::string_view linkage = info.text(*unit, values.get(Role::linkage_name));
    if (!linkage.empty()) return demangle(linkage, style_);
    if (plain.empty()) plain = info.text(*unit, values.get(Role::name));
    const auto next = DebugInfo::reference(*unit, values.get(Role::origin));
    if (!next) break;
    entry = *next;
  }
  return plain;
}

}  // namespace wick
