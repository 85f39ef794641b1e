#include "dwarf/function_names.h"

namespace wick {
namespace {

// Inlined call, abstract function, declaration: three in practice.
constexpr int kLongestChain = 16;
constexpr u64 kLongestEntry = 64U << 10;

}  // namespace

const std::string& FunctionNames::of(DebugInfo& info, u64 entry) {
  const auto [at, is_new] = by_entry_.try_emplace(entry);
  if (is_new) at->second = find(info, entry);
  return at->second;
}

std::string FunctionNames::find(DebugInfo& info, u64 entry) const {
  std::string plain;
  DwarfEntry values;
  for (int i = 0; i < kLongestChain; i++) {
    const DwarfUnit* unit = info.unit_at(entry);
    const Abbreviations* shapes = unit != nullptr ? info.shapes(*unit) : nullptr;
    if (shapes == nullptr) break;
    ByteReader in = info.entries(*unit, entry, kLongestEntry);
    const Abbreviation* shape = shapes->find(in.uleb());
    if (shape == nullptr || !read_entry(in, *shapes, *shape, unit->format, values)) break;
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
