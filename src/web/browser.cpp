#include "web/browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/fd.h"

namespace wick {
namespace {

std::string environment_value(const char* name) {
  const char* value = ::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

bool has_desktop() {
  return !environment_value("DISPLAY").empty() || !environment_value("WAYLAND_DISPLAY").empty();
}

// The folder of the person's session, which nobody else may enter, or where temporary files go.
std::string folder_for_pages() {
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (std::string folder = environment_value(name); folder.starts_with('/')) return folder;
  return "/tmp";
}

// In a session of its own, so that Ctrl-C here does not end it; and silent.
bool start_detached(char* const* arguments) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (::posix_spawn_file_actions_init(&files) != 0) return false;
  if (::posix_spawnattr_init(&attributes) != 0) {
    ::posix_spawn_file_actions_destroy(&files);
    return false;
  }
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, arguments[0], &files, &attributes, arguments, ::environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return failed == 0;
}

}  // namespace

std::optional<BrowserPage> BrowserPage::write(const std::string& url, const std::string& parent) {
  std::string folder = parent + "/wick-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return std::nullopt;
  BrowserPage page{std::move(folder)};
  const auto file = Fd::open(page.path(), O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  const std::string text = fmt::format(
      "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>"
      "<meta http-equiv=refresh content=\"0;url={0}\"><title>wick</title><a "
      "href=\"{0}\">report</a>\n",
      url);
  if (!file || !write_all(file->get(), text)) return std::nullopt;
  return page;
}

std::optional<BrowserPage> BrowserPage::open(const std::string& url) {
  if (::geteuid() == 0 || !has_desktop()) return std::nullopt;
  auto page = write(url, folder_for_pages());
  if (!page) return std::nullopt;
  std::string program = "xdg-open";
  std::string address = page->path();
  const std::array<char*, 3> arguments{program.data(), address.data(), nullptr};
  if (!start_detached(arguments.data())) return std::nullopt;
  return page;
}

BrowserPage::~BrowserPage() {
  if (folder_.empty()) return;
  ::unlink(path().c_str());
  ::rmdir(folder_.c_str());
}

}  // namespace wick
