// as_nobody COMMAND...: runs the command without root and without capabilities.
#include <grp.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  constexpr unsigned kNobody = 65534;
  if (argc < 2) return 2;
  if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) {
    std::perror("as_nobody");
    return 1;
  }
  ::execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 127;
}
