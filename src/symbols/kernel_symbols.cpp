#include "symbols/kernel_symbols.h"

#include <algorithm>

namespace wick {
namespace {

// Functions before weak ones before data.
int type_rank(char type) {
  if (type == 'T' || type == 't') return 0;
  return type == 'W' || type == 'w' ? 1 : 2;
}

std::size_t underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

}  // namespace

bool is_better_kernel_symbol(char type, std::string_view name, char other_type,
                             std::string_view other_name) {
  const int mine = type_rank(type);
  const int theirs = type_rank(other_type);
  return mine != theirs ? mine < theirs : underscores(name) < underscores(other_name);
}

KallsymsMatcher::KallsymsMatcher(std::span<const u64> wanted)
    : wanted_(wanted), candidates_(wanted.size()) {}

void KallsymsMatcher::feed(std::string_view chunk) {
  text_.feed(chunk, [this](const KallsymsLine& line) { take(line); });
}

void KallsymsMatcher::take(const KallsymsLine& line) {
  ++lines_;
  if (line.address == 0) return;
  any_address_ = true;
  const auto after = std::ranges::lower_bound(wanted_, line.address);
  if (after == wanted_.end()) return;
  Candidate& slot = candidates_[static_cast<std::size_t>(after - wanted_.begin())];
  if (slot.type != 0 && line.address < slot.start) return;
  offer(slot, line);
}

void KallsymsMatcher::offer(Candidate& slot, const KallsymsLine& line) {
  const std::string_view name = line.name();
  if (name.empty()) return;
  if (slot.type != 0 && line.address == slot.start &&
      !is_better_kernel_symbol(line.type, name, slot.type, slot.name))
    return;
  slot.start = line.address;
  slot.type = line.type;
  slot.name = name;
  slot.module = line.module();
}

KernelSymbols KallsymsMatcher::finish() {
  text_.finish([this](const KallsymsLine& line) { take(line); });
  KernelSymbols out;
  out.lines = lines_;
  out.hidden = lines_ != 0 && !any_address_;
  out.symbols.resize(wanted_.size());
  const Candidate* last = nullptr;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (candidates_[i].type != 0) last = &candidates_[i];
    if (last == nullptr || wanted_[i] - last->start >= kMaxKernelFunctionSize) continue;
    out.symbols[i] = {last->name, last->module, wanted_[i] - last->start};
  }
  return out;
}

Result<KernelSymbols> resolve_kernel_symbols(std::span<const u64> wanted, const std::string& path) {
  KallsymsMatcher matcher{wanted};
  TRY(read_kallsyms(path, [&](const KallsymsLine& line) { matcher.take(line); }));
  return matcher.finish();
}

}  // namespace wick
