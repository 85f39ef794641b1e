// Sink: where bytes go. A profile of 100 MB is never held as one string; writers stream into one.
// Writer: 64 KB of buffer in front of a Sink, for the many small pieces a format is made of. It
// keeps the first error and drops what follows, so a format's code reads as the format, not as
// checks.
//
//   FileSink sink{file};                 // or FdSink{1}, StringSink
//   Writer out{sink};
//   out << "main;run " << 42 << '\n';
//   TRY(out.finish());                   // the buffer's rest, and the first error if there was one
//
// One thread at a time.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "base/atomic_file.h"
#include "base/result.h"

namespace wick {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  Sink(Sink&&) = delete;
  Sink& operator=(Sink&&) = delete;
  virtual ~Sink() = default;
  [[nodiscard]] virtual Status write(std::string_view data) = 0;
};

class StringSink final : public Sink {
 public:
  [[nodiscard]] Status write(std::string_view data) override;
  std::string text;
};

// The descriptor stays the caller's.
class FdSink final : public Sink {
 public:
  explicit FdSink(int fd) : fd_(fd) {}
  [[nodiscard]] Status write(std::string_view data) override;

 private:
  int fd_;
};

// The file stays the caller's, and so does its commit().
class FileSink final : public Sink {
 public:
  explicit FileSink(AtomicFile& file) : file_(file) {}
  [[nodiscard]] Status write(std::string_view data) override;

 private:
  AtomicFile& file_;
};

class Writer {
 public:
  explicit Writer(Sink& sink);

  Writer& operator<<(std::string_view text);
  Writer& operator<<(char c);
  Writer& operator<<(std::integral auto number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), end);
  }

  [[nodiscard]] bool failed() const { return !status_.has_value(); }
  [[nodiscard]] Status finish();

 private:
  void flush();

  Sink& sink_;
  std::string buffer_;
  Status status_;
};

}  // namespace wick
