#include "symbols/kernel_names.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

// Reading kallsyms takes 0.1 s of CPU.
constexpr u64 kReadAgainNs = 60 * kNanosPerSecond;
constexpr std::string_view kBpfModule = "bpf";

// What may have another name without a module coming or going.
bool is_short_lived(const KernelSymbol& symbol) {
  return !symbol.found() || symbol.module == kBpfModule;
}

}  // namespace

u16 KallsymsTable::module_number(std::string_view module) {
  // Those of one module follow one another.
  if (modules_[last_module_] == module) return last_module_;
  const auto known = std::ranges::find(modules_, module);
  last_module_ = static_cast<u16>(known - modules_.begin());
  if (known == modules_.end()) modules_.emplace_back(module);
  return last_module_;
}

void KallsymsTable::take(const KallsymsLine& line) {
  lines_++;
  const std::string_view name = line.name();
  if (line.address == 0 || name.empty()) return;
  if (modules_.size() >= std::numeric_limits<u16>::max()) return;
  entries_.push_back({.start = line.address,
                      .name = static_cast<u32>(texts_.size()),
                      .module = module_number(line.module()),
                      .type = line.type});
  texts_.append(name);
  texts_.push_back('\0');
}

std::string_view KallsymsTable::name_of(const Entry& entry) const {
  return texts_.data() + entry.name;
}

void KallsymsTable::finish() {
  std::ranges::stable_sort(entries_, {}, &Entry::start);
  entries_.shrink_to_fit();
  texts_.shrink_to_fit();
}

KernelSymbol KallsymsTable::find(u64 address) const {
  const auto after = std::ranges::upper_bound(entries_, address, {}, &Entry::start);
  if (after == entries_.begin()) return {};
  const u64 start = std::prev(after)->start;
  if (address - start >= kMaxKernelFunctionSize) return {};
  const auto first = std::ranges::lower_bound(entries_, start, {}, &Entry::start);
  const Entry* best = &*first;
  for (auto at = std::next(first); at != after; ++at)
    if (is_better_kernel_symbol(at->type, name_of(*at), best->type, name_of(*best))) best = &*at;
  return {.name = std::string(name_of(*best)),
          .module = modules_[best->module],
          .offset = address - start};
}

std::size_t KallsymsTable::bytes() const {
  return entries_.capacity() * sizeof(Entry) + texts_.capacity();
}

// Name, size and address of each; who uses it changes all the time.
std::string KernelNames::loaded_modules() const {
  const auto text = read_file(modules_);
  if (!text) return {};
  std::string out;
  for (std::string_view line : split(*text, '\n')) {
    const auto words = split(line, ' ');
    for (const std::size_t word : {0U, 1U, 5U})
      if (word < words.size()) out.append(words[word]).push_back(' ');
  }
  return out;
}

void KernelNames::forget() {
  first_.clear();
  table_ = {};
  has_table_ = false;
}

Status KernelNames::read_table(u64 now_ns) {
  KallsymsTable table;
  TRY(read_kallsyms(kallsyms_, [&](const KallsymsLine& line) { table.take(line); }));
  table.finish();
  forget();
  table_ = std::move(table);
  has_table_ = true;
  read_ns_ = now_ns;
  reads_++;
  return {};
}

Result<KernelSymbols> KernelNames::resolve_first(std::span<const u64> wanted, u64 now_ns) {
  KernelSymbols out = TRY(resolve_kernel_symbols(wanted, kallsyms_));
  was_asked_ = true;
  read_ns_ = now_ns;
  reads_++;
  first_hidden_ = out.hidden;
  for (std::size_t i = 0; i < wanted.size(); i++) first_.emplace(wanted[i], out.symbols[i]);
  return out;
}

bool KernelNames::answer_known(std::span<const u64> wanted, KernelSymbols& out) const {
  for (const u64 address : wanted) {
    const auto found = first_.find(address);
    if (found == first_.end()) return false;
    out.symbols.push_back(found->second);
  }
  out.hidden = first_hidden_;
  return true;
}

KernelSymbols KernelNames::answer_from_table(std::span<const u64> wanted) const {
  KernelSymbols out;
  out.symbols.reserve(wanted.size());
  for (const u64 address : wanted) out.symbols.push_back(table_.find(address));
  out.hidden = table_.hidden();
  out.lines = table_.lines();
  return out;
}

Result<KernelSymbols> KernelNames::resolve(std::span<const u64> wanted, u64 now_ns) {
  std::string loaded = loaded_modules();
  if (loaded != loaded_) forget();
  loaded_ = std::move(loaded);
  if (!was_asked_) return resolve_first(wanted, now_ns);
  const bool is_old = now_ns - read_ns_ > kReadAgainNs;
  if (KernelSymbols known; !has_table_ && answer_known(wanted, known) &&
                           !(is_old && std::ranges::any_of(known.symbols, is_short_lived)))
    return known;
  if (!has_table_) TRY(read_table(now_ns));
  KernelSymbols out = answer_from_table(wanted);
  if (read_ns_ == now_ns || !is_old || !std::ranges::any_of(out.symbols, is_short_lived))
    return out;
  TRY(read_table(now_ns));
  return answer_from_table(wanted);
}

}  // namespace wick
