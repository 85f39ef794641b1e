#include "formats/sink.h"

#include "base/fd.h"

namespace wick {
namespace {
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
}

Status StringSink::write(std::string_view data) {
  text.append(data);
  return {};
}

Status FdSink::write(std::string_view data) {
  return write_all(fd_, data);
}

Status FileSink::write(std::string_view data) {
  return file_.write(data);
}

Writer::Writer(Sink& sink) : sink_(sink) {
  buffer_.reserve(kBufferBytes);
}

Writer& Writer::operator<<(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferBytes) flush();
  if (text.size() > kBufferBytes) {
    if (status_) status_ = sink_.write(text);
  } else {
    buffer_.append(text);
  }
  return *this;
}

Writer& Writer::operator<<(char c) {
  if (buffer_.size() == kBufferBytes) flush();
  buffer_.push_back(c);
  return *this;
}

void Writer::flush() {
  if (status_ && !buffer_.empty()) status_ = sink_.write(buffer_);
  buffer_.clear();
}

Status Writer::finish() {
  flush();
  return status_;
}

}  // namespace wick
