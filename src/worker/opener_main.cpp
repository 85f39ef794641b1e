#include "worker/opener_main.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "base/capabilities.h"
#include "base/wire.h"
#include "worker/child_setup.h"
#include "worker/exchange.h"

namespace wick {
namespace {

constexpr u32 kLongestOpenedPath = 8192;
constexpr u64 kMostGroups = 65'536;
// Wick reads what a new process has mapped before all others run (ScopedPriority), and waits for
// us.
constexpr int kOpenerNice = -15;

// Root's file of another user is opened as that user, so permissions are never overridden by more
// than reading.
void keep_opening_rights() {
  CapabilitySets sets = own_capabilities();
  sets.permitted &= kOpeningRights;
  sets.effective &= kOpeningRights;
  sets.inheritable = 0;
  (void)set_capabilities(sets);
}

}  // namespace

std::vector<std::byte> encode(const OpenQuestion& question) {
  const ProcMapping& mapping = question.mapping;
  WireWriter out;
  for (const u32 number : {question.pid, mapping.dev_major, mapping.dev_minor}) out.put(number);
  for (const u64 number : {mapping.start, mapping.end, mapping.file_offset, mapping.inode})
    out.put(number);
  out.put<u8>(mapping.deleted ? 1 : 0);
  out.text(mapping.path);
  return out.take();
}

Result<OpenQuestion> decode_open_question(std::span<const std::byte> bytes) {
  ByteReader in{bytes};
  OpenQuestion question;
  ProcMapping& mapping = question.mapping;
  for (u32* number : {&question.pid, &mapping.dev_major, &mapping.dev_minor})
    *number = in.fixed<u32>();
  for (u64* number : {&mapping.start, &mapping.end, &mapping.file_offset, &mapping.inode})
    *number = in.fixed<u64>();
  mapping.deleted = in.byte() != 0;
  mapping.path = wire_text(in, kLongestOpenedPath);
  if (!in.ok()) return fail("a question is malformed");
  return question;
}

std::vector<std::byte> encode_opened(const Result<MappedFile>& opened) {
  WireWriter out;
  out.put<u8>(opened ? 1 : 0);
  if (!opened) {
    out.text(opened.error().message);
    out.text(opened.error().hint);
    out.put(static_cast<u32>(opened.error().code));
    return out.take();
  }
  out.text(opened->path);
  out.text(opened->root.path);
  out.put(opened->root.pid);
  out.put<u8>(opened->root.user ? 1 : 0);
  if (opened->root.user) {
    out.put(opened->root.user->uid);
    out.put(opened->root.user->gid);
    out.array(std::span<const u32>(opened->root.user->groups));
  }
  return out.take();
}

Result<MappedFile> decode_opened(std::span<const std::byte> bytes, Fd file) {
  ByteReader in{bytes};
  if (in.byte() == 0) {
    Error error{.message = std::string(wire_text(in, kLongestOpenedPath))};
    error.hint = wire_text(in, kLongestOpenedPath);
    error.code = static_cast<int>(in.fixed<u32>());
    return std::unexpected(std::move(error));
  }
  MappedFile opened{.fd = std::move(file)};
  opened.path = wire_text(in, kLongestOpenedPath);
  opened.root.path = wire_text(in, kLongestOpenedPath);
  opened.root.pid = in.fixed<u32>();
  if (in.byte() != 0) {
    FileUser& user = opened.root.user.emplace();
    user.uid = in.fixed<u32>();
    user.gid = in.fixed<u32>();
    user.groups = wire_array<u32>(in, kMostGroups);
  }
  if (!in.ok() || !opened.fd.valid()) return fail("an answer about a file is malformed");
  return opened;
}

void run_opener(Fd socket) {
  set_up_child("wick-opener", socket.get());
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  ::setpriority(PRIO_PROCESS, 0, kOpenerNice);
  keep_opening_rights();
  Exchange exchange{std::move(socket), Fd{}};
  if (!exchange.take_area()) ::_exit(1);
  WireWriter rights;
  rights.put(own_capabilities().permitted);
  if (!exchange.send(MessageKind::hello, rights.bytes())) ::_exit(0);
  while (auto message = exchange.receive()) {
    const auto question = decode_open_question(message->bytes);
    if (message->kind != MessageKind::open_mapped || !question) break;
    const auto opened = open_mapped_file(question->pid, question->mapping);
    const auto bytes = encode_opened(opened);
    const Status sent = opened ? exchange.send(MessageKind::answer, bytes, {opened->fd.get()})
                               : exchange.send(MessageKind::answer, bytes);
    if (!sent) break;
  }
  ::_exit(0);
}

}  // namespace wick
