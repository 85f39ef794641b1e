#include "worker/exchange.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>

namespace wick {
namespace {

constexpr std::size_t kInlineBytes = 16'384;
constexpr u64 kTrimAbove = u64{1} << 20;

struct MessageHeader {
  u32 kind;
  u32 in_area;  // 1: the bytes are in the area, not behind the header
  u64 size;
};

// Room for the descriptors of one message, aligned as the kernel wants it.
union ControlBytes {
  cmsghdr header;
  std::array<char, CMSG_SPACE(sizeof(int) * Exchange::kMaxFiles)> bytes;
};

Status send_packet(int socket, std::span<const std::byte> bytes, std::initializer_list<int> files) {
  iovec piece{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
  msghdr packet{};
  packet.msg_iov = &piece;
  packet.msg_iovlen = 1;
  ControlBytes control{};
  if (files.size() != 0) {
    packet.msg_control = control.bytes.data();
    packet.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
    cmsghdr* header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
    std::memcpy(CMSG_DATA(header), files.begin(), sizeof(int) * files.size());
  }
  while (::sendmsg(socket, &packet, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return fail_errno("send a message");
  return {};
}

// All that came, so that none is left open.
std::vector<Fd> files_of(msghdr& packet) {
  std::vector<Fd> files;
  for (cmsghdr* header = CMSG_FIRSTHDR(&packet); header != nullptr;
       header = CMSG_NXTHDR(&packet, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; i++) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      files.emplace_back(fd);
    }
  }
  return files;
}

}  // namespace

Status Exchange::send(MessageKind kind, std::span<const std::byte> bytes,
                      std::initializer_list<int> files) const {
  if (bytes.size() > kLimitBytes) return fail("a message is too long");
  const bool in_area = bytes.size() > kInlineBytes;
  const MessageHeader header{
      .kind = std::to_underlying(kind), .in_area = in_area ? 1U : 0U, .size = bytes.size()};
  std::array<std::byte, sizeof(header) + kInlineBytes> packet;
  std::memcpy(packet.data(), &header, sizeof(header));
  std::size_t length = sizeof(header);
  if (!in_area && !bytes.empty()) {
    std::memcpy(packet.data() + length, bytes.data(), bytes.size());
    length += bytes.size();
  }
  for (std::size_t at = 0; in_area && at < bytes.size();) {
    const ssize_t put =
        ::pwrite(area_.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return fail_errno("write a message");
    at += static_cast<std::size_t>(put);
  }
  return send_packet(socket_.get(), std::span(packet).first(length), files);
}

Result<Message> Exchange::receive() const {
  std::array<std::byte, sizeof(MessageHeader) + kInlineBytes> bytes;
  iovec piece{.iov_base = bytes.data(), .iov_len = bytes.size()};
  ControlBytes control{};
  msghdr packet{};
  packet.msg_iov = &piece;
  packet.msg_iovlen = 1;
  packet.msg_control = control.bytes.data();
  packet.msg_controllen = sizeof(control);
  ssize_t got = -1;
  while ((got = ::recvmsg(socket_.get(), &packet, MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) return fail_errno("receive a message");
  Message message{.files = files_of(packet)};
  if (got == 0) return fail("the other side has ended");
  MessageHeader header{};
  const auto length = static_cast<std::size_t>(got);
  if (length < sizeof(header) || (packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return fail_errno("receive a message", EBADMSG);
  std::memcpy(&header, bytes.data(), sizeof(header));
  const bool known = header.kind >= std::to_underlying(MessageKind::hello) &&
                     header.kind <= std::to_underlying(MessageKind::last);
  const bool fits =
      header.in_area != 0 ? header.size <= kLimitBytes : header.size == length - sizeof(header);
  if (!known || !fits) return fail_errno("receive a message", EBADMSG);
  message.kind = static_cast<MessageKind>(header.kind);
  message.bytes.resize(header.size);
  if (header.in_area != 0)
    TRY(read_exactly_at(area_.get(), message.bytes, 0));
  else if (header.size != 0)
    std::memcpy(message.bytes.data(), bytes.data() + sizeof(header), header.size);
  return message;
}

Status Exchange::send_area() const {
  return send(MessageKind::hello, {}, {area_.get()});
}

Status Exchange::take_area() {
  Message message = TRY(receive());
  if (message.kind != MessageKind::hello || message.files.size() != 1)
    return fail("no message area came");
  area_ = std::move(message.files.front());
  return {};
}

void Exchange::trim() const {
  struct stat info{};
  if (::fstat(area_.get(), &info) != 0 || static_cast<u64>(info.st_blocks) * 512 < kTrimAbove)
    return;
  ::fallocate(area_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              static_cast<off_t>(kLimitBytes));
}

Result<ExchangePair> make_exchange() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail_errno("make a socket");
  Fd ours{ends[0]};
  Fd theirs{ends[1]};
  Fd area{::memfd_create("wick messages", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (!area.valid()) return fail_errno("make a memory file");
  // Its size is a bound, not a use. Sealed: what is read is there.
  if (::ftruncate(area.get(), static_cast<off_t>(Exchange::kLimitBytes)) != 0 ||
      ::fcntl(area.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail_errno("size a memory file");
  return ExchangePair{.ours = {std::move(ours), std::move(area)}, .theirs = std::move(theirs)};
}

}  // namespace wick
