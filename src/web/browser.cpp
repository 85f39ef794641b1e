#include "web/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace wick {
namespace {

bool has_desktop() {
  const auto set = [](const char* name) {
    const char* value = ::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
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

bool open_in_browser(const std::string& url) {
  if (::geteuid() == 0 || !has_desktop()) return false;
  std::string program = "xdg-open";
  std::string address = url;
  const std::array<char*, 3> arguments{program.data(), address.data(), nullptr};
  return start_detached(arguments.data());
}

}  // namespace wick
