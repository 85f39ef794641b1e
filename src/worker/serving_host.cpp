#include "worker/serving_host.h"

#include <algorithm>

#include "dwarf/debuginfod.h"

namespace wick {
namespace {

constexpr std::string_view kDebugFolder = "/usr/lib/debug/";
constexpr std::string_view kBuildIdFolder = "/usr/lib/debug/.build-id/";
// As many .dwo files as SplitFiles opens, in two places each, and some debug files.
constexpr u64 kMostOpened = 2 * 16'384 + 64;

bool is_hex(std::string_view text) {
  return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

// "/usr/lib/debug/.build-id/ab/cdef.debug"
bool is_by_build_id(std::string_view path) {
  if (!path.starts_with(kBuildIdFolder) || !path.ends_with(".debug")) return false;
  path.remove_prefix(kBuildIdFolder.size());
  path.remove_suffix(6);
  return path.size() > 3 && path[2] == '/' && is_hex(path.substr(0, 2)) && is_hex(path.substr(3));
}

bool is_plain(std::string_view path) {
  return path.starts_with('/') && path.size() < 4096 && !path.contains('\0') &&
         !path.contains("/../") && !path.ends_with("/..");
}

}  // namespace

bool ServingHost::may_open(const std::string& path) const {
  // Folders of object files are often written with "..", and only the process's user's are opened.
  if (rights_.split_dwarf && path.starts_with('/') && !path.contains('\0') &&
      (path.ends_with(".dwo") || path.ends_with(".dwp")))
    return true;
  if (!is_plain(path)) return false;
  if (is_by_build_id(path)) return true;
  const std::size_t slash = rights_.path.rfind('/');
  if (slash == std::string::npos) return false;
  const std::string folder = rights_.path.substr(0, slash + 1);
  const std::string_view in = std::string_view(path).substr(0, path.rfind('/') + 1);
  return in == folder || in == folder + ".debug/" ||
         in == std::string(kDebugFolder.substr(0, kDebugFolder.size() - 1)) + folder;
}

Result<Fd> ServingHost::open_offered(bool below_root, const std::string& path) {
  if (!may_open(path) || opened_++ > kMostOpened) return fail("not a file that is opened for it");
  return wick::open_offered(below_root ? rights_.root : rights_.root.ours(), path);
}

Result<Fd> ServingHost::download(const std::string& build_id) {
  if (!rights_.split_dwarf || !is_hex(build_id)) return fail("not a file that is fetched for it");
  return download_debug_file(build_id);
}

}  // namespace wick
