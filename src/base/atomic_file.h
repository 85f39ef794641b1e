// AtomicFile: a file that appears whole or not at all. It is written without a name, or aside, in
// the target's own folder, and renamed by commit(). What is not committed leaves nothing.
//
//   AtomicFile out = TRY(AtomicFile::create("cpu.svg"));
//   TRY(out.write(text));
//   TRY(out.commit());
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace wick {

class AtomicFile {
 public:
  // Fails early when the folder cannot be written, so a profile is not lost at its end.
  [[nodiscard]] static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  [[nodiscard]] Status write(std::string_view data);
  [[nodiscard]] Status commit();

 private:
  [[nodiscard]] Status give_name();
  AtomicFile(Fd fd, std::string path, std::string aside, bool direct)
      : fd_(std::move(fd)), path_(std::move(path)), aside_(std::move(aside)), direct_(direct) {}

  Fd fd_;
  std::string path_;
  std::string aside_;  // its name until commit(); empty while it has none
  bool direct_;        // a device or a pipe (-o /dev/stdout): nothing to rename
};

}  // namespace wick
