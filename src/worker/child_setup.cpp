#include "worker/child_setup.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace wick {

void set_up_child(const char* name, int socket) {
  // Ctrl-C is for the parent, which closes the socket when it has ended.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  ::prctl(PR_SET_NAME, name);
  // The standard streams are /dev/null.
  const auto number = static_cast<unsigned>(socket);
  if (number > 3) ::syscall(SYS_close_range, 3U, number - 1, 0);
  ::syscall(SYS_close_range, number + 1, ~0U, 0);
}

}  // namespace wick
