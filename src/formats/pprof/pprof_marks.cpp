#include "formats/pprof/pprof_marks.h"

#include <algorithm>
#include <array>

namespace wick {
namespace {

constexpr std::string_view kUnnamed = "_[?]";

struct KindMark {
  FrameKind kind;
  std::string_view mark;
};
constexpr std::array kKindMarks{
    KindMark{FrameKind::kernel, "_[k]"},  KindMark{FrameKind::jit, "_[j]"},
    KindMark{FrameKind::inlined, "_[i]"}, KindMark{FrameKind::note, "_[n]"},
    KindMark{FrameKind::waker, "_[w]"},   KindMark{FrameKind::waiting, "_[b]"},
};

}  // namespace

std::string pprof_system_name(std::string_view name, FrameKind kind, bool named) {
  std::string out{name};
  if (const auto* found = std::ranges::find(kKindMarks, kind, &KindMark::kind);
      found != kKindMarks.end())
    out.append(found->mark);
  if (!named) out.append(kUnnamed);
  return out;
}

PprofMarks pprof_marks(std::string_view name, std::string_view system_name) {
  PprofMarks marks;
  if (!system_name.starts_with(name)) return marks;
  std::string_view rest = system_name.substr(name.size());
  const auto* found = std::ranges::find_if(
      kKindMarks, [&](const KindMark& entry) { return rest.starts_with(entry.mark); });
  if (found != kKindMarks.end()) rest.remove_prefix(found->mark.size());
  if (!rest.empty() && rest != kUnnamed) return marks;
  if (found != kKindMarks.end()) marks.kind = found->kind;
  marks.named = rest.empty();
  return marks;
}

}  // namespace wick
