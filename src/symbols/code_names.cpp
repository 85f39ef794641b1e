#include "symbols/code_names.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace wick {
namespace {

// A large Java server has 50,000 methods, an hour of Node 200,000 pieces of code.
constexpr std::size_t kMaxEntries = std::size_t{1} << 19;
constexpr std::size_t kMaxNameBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxName = 1024;

// A row of places over which marks are put, range by range; the highest mark of a place shows. Each
// step takes the logarithm of the row's length, whatever the ranges: a thousand entries over one
// another cost no more than a thousand side by side.
class MarkedRow {
 public:
  explicit MarkedRow(std::size_t places) : places_(places), marks_(2 * places) {}

  void put(std::size_t begin, std::size_t end, u32 mark) {
    for (begin += places_, end += places_; begin < end; begin /= 2, end /= 2) {
      if (begin % 2 != 0) marks_[begin++] = mark;
      if (end % 2 != 0) marks_[--end] = mark;
    }
  }
  [[nodiscard]] u32 at(std::size_t place) const {
    u32 mark = 0;
    for (std::size_t node = place + places_; node != 0; node /= 2)
      mark = std::max(mark, marks_[node]);
    return mark;
  }

 private:
  std::size_t places_;
  std::vector<u32> marks_;  // a tree: leaves from places_ on, the parent of i is i / 2
};

std::vector<u32> numbers(std::size_t count) {
  std::vector<u32> out(count);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

}  // namespace

void CodeNames::add(const CodeRange& range, std::string_view name) {
  if (range.size == 0) return;
  name = name.substr(0, kMaxName);
  if (entries_.size() >= kMaxEntries || names_.size() + name.size() > kMaxNameBytes)
    forget_older_half();
  const u64 room = std::numeric_limits<u64>::max() - range.start;
  entries_.push_back({.start = range.start,
                      .last = range.start + std::min(range.size - 1, room),
                      .time_ns = range.time_ns,
                      .name = static_cast<u32>(names_.size()),
                      .name_size = static_cast<u32>(name.size())});
  names_.append(name);
}

void CodeNames::clear() {
  forgotten_ += entries_.size();
  entries_.clear();
  names_.clear();
}

void CodeNames::forget_older_half() {
  const auto half = static_cast<std::ptrdiff_t>(entries_.size() / 2);
  const u32 kept_from = entries_[static_cast<std::size_t>(half)].name;
  entries_.erase(entries_.begin(), entries_.begin() + half);
  for (Entry& entry : entries_) entry.name -= kept_from;
  names_.erase(0, kept_from);
  forgotten_ += static_cast<u64>(half);
}

std::string_view CodeNames::name_of(const Entry& entry) const {
  return std::string_view(names_).substr(entry.name, entry.name_size);
}

std::string_view CodeNames::name_of(u64 number) const {
  if (number <= forgotten_ || number > last_added()) return {};
  return name_of(entries_[number - forgotten_ - 1]);
}

std::vector<u32> CodeNames::in_order_of_time() const {
  std::vector<u32> order = numbers(entries_.size());
  if (!std::ranges::is_sorted(entries_, {}, &Entry::time_ns))
    std::ranges::stable_sort(order, {}, [&](u32 i) { return entries_[i].time_ns; });
  return order;
}

std::vector<std::string_view> CodeNames::resolve(std::span<const CodeMoment> wanted) const {
  std::vector<std::string_view> out(wanted.size());
  const std::vector<u32> order = in_order_of_time();
  // The row's places are the wanted moments by address; then they are asked by time.
  std::vector<u32> places = numbers(wanted.size());
  std::ranges::sort(places, {}, [&](u32 i) { return wanted[i].address; });
  std::vector<u32> by_time = numbers(wanted.size());
  std::ranges::sort(by_time, {}, [&](u32 place) { return wanted[places[place]].time_ns; });

  const auto address_of = [&](u32 i) { return wanted[i].address; };
  const auto put = [&](MarkedRow& row, const Entry& entry, std::size_t mark) {
    const auto begin = std::ranges::lower_bound(places, entry.start, {}, address_of);
    if (begin == places.end() || address_of(*begin) > entry.last) return;
    const auto end = std::ranges::upper_bound(begin, places.end(), entry.last, {}, address_of);
    row.put(static_cast<std::size_t>(begin - places.begin()),
            static_cast<std::size_t>(end - places.begin()), static_cast<u32>(mark));
  };

  MarkedRow before{wanted.size()};
  std::vector<u32> not_yet_there;
  std::size_t next = 0;
  for (const u32 place : by_time) {
    const CodeMoment& moment = wanted[places[place]];
    for (; next < order.size() && entries_[order[next]].time_ns <= moment.time_ns; next++)
      put(before, entries_[order[next]], next + 1);
    if (const u32 mark = before.at(place); mark != 0)
      out[places[place]] = name_of(entries_[order[mark - 1]]);
    else
      not_yet_there.push_back(place);
  }
  const auto first_asked = by_time.empty() ? 0 : wanted[places[by_time.front()]].time_ns;
  if (not_yet_there.empty() || order.empty() || entries_[order.back()].time_ns <= first_asked)
    return out;

  // Backwards, so that the earliest shows.
  MarkedRow after{wanted.size()};
  for (std::size_t i = order.size(); i-- > 0;) put(after, entries_[order[i]], order.size() - i);
  for (const u32 place : not_yet_there)
    if (const u32 mark = after.at(place); mark != 0)
      out[places[place]] = name_of(entries_[order[order.size() - mark]]);
  return out;
}

}  // namespace wick
