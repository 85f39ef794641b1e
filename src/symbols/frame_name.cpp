#include "symbols/frame_name.h"

#include <fmt/format.h>

#include "base/text.h"

namespace wick {
namespace {

bool anonymous(std::string_view path) {
  return path.empty() || path == "//anon" || path.starts_with("[anon");
}

}  // namespace

std::string unknown_frame_name(std::string_view path, u64 vaddr) {
  if (anonymous(path)) return "[unknown]";
  std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0: the whole
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return fmt::format("[{}+{:#x}]", printable(name), vaddr);
}

std::string unknown_kernel_frame_name(u64 address) {
  if (address == 0) return "[unknown kernel]";
  return fmt::format("[kernel+{:#x}]", address);
}

}  // namespace wick
