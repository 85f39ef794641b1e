// vfs_calls DIR: works in a folder of its own in DIR when a wick traces it, and tells beforehand
// how often it will call what of the virtual file system; then it ends. Calls that fail before they
// get there are made too, and not told.
#include <fcntl.h>
#include <sys/stat.h>

#include "workload.h"

using namespace workload;

namespace {

constexpr int kOpens = 211;
constexpr int kCreates = 23;
constexpr int kNodes = 5;
constexpr int kReads = 307;
constexpr int kFailingReads = 4;
constexpr int kWrites = 401;
constexpr int kSyncs = 13;
constexpr int kFolders = 19;
constexpr int kFullFolders = 3;
constexpr int kFailing = 7;

std::string numbered(const char* name, int i) {
  return name + std::to_string(i);
}

void open_and_fail(int folder) {
  for (int i = 0; i < kOpens; i++) ::close(::open("data", i % 2 == 0 ? O_RDONLY : O_RDWR));
  for (int i = 0; i < kFailingReads; i++) {
    char byte = 0;
    if (::read(folder, &byte, 1) == 0) std::abort();  // a folder: EISDIR, by vfs_read
  }
  for (int i = 0; i < kFailing; i++) {
    char byte = 0;
    if (::open("not there", O_RDONLY) >= 0 || ::read(-1, &byte, 1) >= 0) std::abort();
    if (::unlink("not there") == 0 || ::mkdir(".", 0700) == 0) std::abort();
  }
}

void read_and_write() {
  const int file = ::open("data", O_RDWR);
  char byte = 'x';
  bool done = true;
  for (int i = 0; i < kWrites; i++)
    done &= (i % 2 == 0 ? ::write(file, &byte, 1) : ::pwrite(file, &byte, 1, 0)) == 1;
  for (int i = 0; i < kReads; i++)
    done &= (i % 2 == 0 ? ::pread(file, &byte, 1, 0) : ::read(file, &byte, 1)) >= 0;
  for (int i = 0; i < kSyncs; i++) done &= (i % 2 == 0 ? ::fsync(file) : ::fdatasync(file)) == 0;
  ::close(file);
  if (!done) std::abort();
}

void make_and_remove() {
  for (int i = 0; i < kCreates; i++)
    ::close(::open(numbered("new", i).c_str(), O_CREAT | O_WRONLY, 0600));
  for (int i = 0; i < kNodes; i++) ::mknod(numbered("node", i).c_str(), S_IFREG | 0600, 0);
  for (int i = 0; i < kFolders; i++) ::mkdir(numbered("folder", i).c_str(), 0700);
  for (int i = 0; i < kFullFolders; i++) ::rmdir("../full");
  bool done = true;
  for (int i = 0; i < kCreates; i++) done &= ::unlink(numbered("new", i).c_str()) == 0;
  for (int i = 0; i < kNodes; i++) done &= ::unlink(numbered("node", i).c_str()) == 0;
  for (int i = 0; i < kFolders; i++)
    done &= ::unlinkat(AT_FDCWD, numbered("folder", i).c_str(), AT_REMOVEDIR) == 0;
  if (!done) std::abort();
}

void tell_truths() {
  tell("reads", kReads + kFailingReads);
  tell("writes", kWrites);
  tell("fsyncs", kSyncs);
  tell("opens", kOpens + kCreates + 1);
  tell("creates", kCreates + kNodes);
  tell("unlinks", kCreates + kNodes);
  tell("mkdirs", kFolders);
  tell("rmdirs", kFolders + kFullFolders);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const std::string top = options.word(0) + "/vfs_calls." + std::to_string(::getpid());
  ::mkdir(top.c_str(), 0700);
  if (::chdir(top.c_str()) != 0 || ::mkdir("full", 0700) != 0 || ::mkdir("full/in", 0700) != 0 ||
      ::mkdir("work", 0700) != 0 || ::chdir("work") != 0)
    return 1;
  ::close(::open("data", O_CREAT | O_RDWR, 0600));
  const int folder = ::open(".", O_RDONLY | O_DIRECTORY);
  tell_truths();
  begin(options, 1);
  open_and_fail(folder);
  read_and_write();
  make_and_remove();
  // What is left is the test's to remove: each call here would be one more.
  ::_exit(0);
}
