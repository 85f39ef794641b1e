// Records come from our own BPF programs, but what is in them is strangers': frames, names, words
// of their stacks. Whatever comes, nothing is counted twice and nothing vanishes.
#include <cstdlib>
#include <cstring>
#include <span>

#include "tool/stack/stack_intake.h"

namespace wick {
namespace {

class NobodysStacks : public StackOwners {
 public:
  ImageId image(const ImageInfo& info, Sighting /*sighting*/) override {
    infos_[info.pid % std::size(infos_)] = info;
    return ImageId{info.pid % std::size(infos_)};
  }
  [[nodiscard]] const ImageInfo& info(ImageId image) const override {
    return infos_[image.index()];
  }
  void touch(ImageId /*image*/, u64 /*address*/, u64 /*time_ns*/) override {}
  RowAnswer find_row(ImageId /*image*/, u64 pc, u64 /*time_ns*/) override {
    RowAnswer answer{.kind = static_cast<RowAnswer::Kind>(pc % 6)};
    answer.row = {.pc = 0,
                  .cfa = static_cast<__s16>(pc >> 8),
                  .bp = static_cast<__s8>(pc >> 4),
                  .rule = static_cast<__u8>(pc >> 12 & 15)};
    return answer;
  }
  [[nodiscard]] u64 tables_taken() const override { return tables++; }

 private:
  ImageInfo infos_[8];
  mutable u64 tables = 0;
};

// The next bytes of the input, as far as there are.
template <class T>
T next(std::span<const std::byte>& input) {
  T out{};
  const std::size_t size = std::min(sizeof(T), input.size());
  if (size != 0) std::memcpy(&out, input.data(), size);
  input = input.subspan(size);
  return out;
}

struct Sums {
  u64 counted = 0;
  u64 found = 0;
};

void check(const StackWindow& window, Sums& sums) {
  for (const StackEntry& entry : window.entries()) {
    sums.found += entry.count;
    if (entry.target != StackEntry::kNoEntry &&
        (entry.target >= window.entries().size() || entry.waker >= window.entries().size()))
      std::abort();
    (void)window.kernel_frames(entry);
    (void)window.user_frames(entry);
    (void)window.strings().get(entry.comm);
  }
  for (const TimeRun& run : window.times())
    for (const TimedSample& sample : run.samples)
      if (sample.entry >= window.entries().size()) std::abort();
  sums.found += window.totals().unknown_stacks;
}

void run(std::span<const std::byte> input) {
  NobodysStacks owners;
  const u8 options = next<u8>(input);
  StackIntake intake{owners,
                     {.weighted = (options & 1) != 0,
                      .by_tables = (options & 2) != 0,
                      .by_key = (options & 4) != 0,
                      .times = (options & 8) != 0,
                      .walk = {}}};
  Sums sums;
  while (!input.empty()) {
    const u8 what = next<u8>(input);
    if (what % 4 == 0) {
      const auto key = next<wick_stack_key>(input);
      wick_stack_value value{};
      value.value = next<u16>(input);
      value.count = next<u16>(input);
      value.index = next<u8>(input);
      // As in the kernel: where something was counted, the amount is not nothing.
      if (value.value == 0) value.count = 0;
      sums.counted += (options & 1) != 0 ? value.count : value.value;
      intake.count(key, value);
    } else if (what % 16 == 1) {
      intake.finish_walks(false);
    } else if (what % 16 == 3) {
      intake.end_of_set(what >> 7);
    } else if (what % 16 == 2) {
      check(intake.take(), sums);
    } else {
      const std::size_t size = std::min<std::size_t>(next<u16>(input), input.size());
      intake.record(input.first(size));
      input = input.subspan(size);
    }
  }
  // What waited for a table goes into the next window, and no further.
  for (int i = 0; i < 3; i++) check(intake.take(), sums);
  if (sums.counted != sums.found) std::abort();
}

}  // namespace
}  // namespace wick

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  wick::run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
