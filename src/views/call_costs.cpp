#include "views/call_costs.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "views/names.h"
#include "views/stack_values.h"

namespace wick {
namespace {

constexpr std::string_view kUnknownFile = "???";
constexpr std::string_view kCommand = "[command]";

std::string text_or(std::string_view text, std::string_view instead) {
  return text.empty() ? std::string{instead} : printable(text);
}

}  // namespace

std::size_t CallCosts::EntryHash::operator()(const CostEntry& entry) const {
  constexpr u64 kOdd = 0x9E3779B97F4A7C15;
  const u64 hash = ((u64{entry.function} << 32 | entry.callee) * kOdd ^ entry.line) * kOdd;
  return hash ^ (hash >> 29);
}

CallCosts::CallCosts(const Profile& profile)
    : width_(profile.value_types().size()), of_comm_(profile.strings.size()), totals_(width_) {
  name_functions(profile);
  for (std::size_t i = 0; i < profile.samples().size(); i++) add_sample(profile, i);
  std::ranges::sort(entries_);
}

// By what is written, since that is all a reader has: two names that look alike are one function.
// A file that is not known is the object, so that the kernel's read and libc's stay two.
void CallCosts::name_functions(const Profile& profile) {
  const FunctionTable table{profile};
  std::vector<u32> numbers;
  for (const Function& function : table.functions()) {
    const bool kernel = function.kind == FrameKind::kernel;
    std::string object =
        text_or(profile.text(function.path), kernel ? "[kernel.kallsyms]" : kUnknownFile);
    std::string file = text_or(profile.text(function.file), object);
    std::string name = text_or(profile.text(function.name), "[unknown]");
    name.append(kind_suffix(function.kind, false));
    numbers.push_back(add_function(
        {.name = std::move(name), .file = std::move(file), .object = std::move(object)}));
  }
  of_frame_.reserve(profile.frames().size());
  for (std::size_t i = 0; i < profile.frames().size(); i++)
    of_frame_.push_back(numbers[table.index_of(FrameId{i})]);
}

u32 CallCosts::add_function(CostFunction function) {
  const std::string text = function.name + '\n' + function.file + '\n' + function.object;
  const auto [entry, is_new] = by_text_.try_emplace(text, static_cast<u32>(functions_.size() + 1));
  if (is_new) functions_.push_back(std::move(function));
  return entry->second;
}

std::size_t CallCosts::slot_of(const CostEntry& entry) {
  const auto [found, is_new] = slots_.try_emplace(entry, slots_.size());
  if (is_new) {
    entries_.push_back(entry);
    costs_.resize(costs_.size() + width_);
    counts_.push_back(0);
  }
  return found->second;
}

void CallCosts::charge(std::size_t slot, std::span<const i64> values) {
  add_values(std::span(costs_).subspan(slot * width_, width_), values);
}

u32 CallCosts::root_of(const Profile& profile, StringId comm) {
  u32& known = of_comm_[comm.index()];
  if (known == 0)
    known = add_function({.name = text_or(profile.text(comm), "[unknown]"),
                          .file = std::string{kCommand},
                          .object = std::string{kCommand}});
  return known;
}

void CallCosts::enter(const CostEntry& call, std::size_t sample, std::span<const i64> values) {
  const std::size_t slot = slot_of(call);
  counts_[slot]++;
  u32& entered = entered_[call.callee];
  if (std::exchange(entered, static_cast<u32>(sample + 1)) != sample + 1) charge(slot, values);
}

void CallCosts::add_sample(const Profile& profile, std::size_t index) {
  const Sample& sample = profile.samples()[index];
  const auto values = profile.values(index);
  if (std::ranges::all_of(values, [](i64 value) { return value == 0; })) return;
  add_values(totals_, values);
  CostEntry at{.function = root_of(profile, sample.comm)};
  entered_.resize(functions_.size() + 1);
  const auto stack = profile.stack(sample.stack);
  for (std::size_t i = stack.size(); i-- > 0;) {
    at.callee = of_frame_[stack[i].index()];
    enter(at, index, values);
    at = {.function = at.callee, .line = profile.frame(stack[i]).line};
  }
  charge(slot_of(at), values);
}

std::span<const i64> CallCosts::costs(const CostEntry& entry) const {
  return std::span(costs_).subspan(slots_.at(entry) * width_, width_);
}

u64 CallCosts::samples(const CostEntry& entry) const {
  return counts_[slots_.at(entry)];
}

}  // namespace wick
