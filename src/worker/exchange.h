// Exchange: messages of any size, with descriptors, between Wick and a child process. Short ones go
// through a socket; long ones through a memory file that both have. Used by FileWorker and by the
// worker's loop. One thread at a time.
//
//   ExchangePair ends = TRY(make_exchange());
//   TRY(ends.ours.send(MessageKind::table_request, payload, {file.get()}));
//   Message message = TRY(ends.ours.receive());
//
// Who receives copies the bytes out first and reads its copy: the other side may write on.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

enum class MessageKind : u32 {
  hello = 1,      // the worker is confined and listens
  unconfined,     // it could not be confined: why
  table_request,  // Wick asks
  names_request,
  answer,
  open_file,  // the worker asks for a file, meanwhile
  download,
  is_known,
  reply,
  last = reply,
};

struct Message {
  MessageKind kind = MessageKind::answer;
  std::vector<std::byte> bytes;
  std::vector<Fd> files;
};

class Exchange {
 public:
  // The longest message: names of some million places.
  static constexpr u64 kLimitBytes = u64{192} << 20;
  static constexpr std::size_t kMaxFiles = 4;

  Exchange() = default;
  // `area` is a file of kLimitBytes.
  Exchange(Fd socket, Fd area) : socket_(std::move(socket)), area_(std::move(area)) {}

  [[nodiscard]] Status send(MessageKind kind, std::span<const std::byte> bytes = {},
                            std::initializer_list<int> files = {}) const;
  // Waits for one. An error without a code: the other side has closed its end.
  [[nodiscard]] Result<Message> receive() const;
  // The first message each way: the parent sends the area, the child takes it.
  [[nodiscard]] Status send_area() const;
  [[nodiscard]] Status take_area();
  // Gives back the memory that long messages took.
  void trim() const;
  [[nodiscard]] int socket() const { return socket_.get(); }
  [[nodiscard]] int area() const { return area_.get(); }

 private:
  Fd socket_;
  Fd area_;
};

struct ExchangePair {
  Exchange ours;
  Fd theirs;  // the child's end of the socket
};

[[nodiscard]] Result<ExchangePair> make_exchange();

}  // namespace wick
