// AtomicFile: a file that appears whole or not at all. It is written without a name, or aside, in
// the target's own folder, and renamed by commit(). What is not committed leaves nothing.
//
// Root's files are 0600, other users' follow their umask; a regular file of our own keeps its rw
// bits. base/output_target says which targets are refused, and whom the file is given to.
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
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  [[nodiscard]] Status write(std::string_view data);
  [[nodiscard]] Status commit();

 private:
  AtomicFile(std::string path, Fd folder, std::string name)
      : path_(std::move(path)), folder_(std::move(folder)), name_(std::move(name)) {}
  void remove_aside();
  [[nodiscard]] Status open_aside(mode_t mode);
  [[nodiscard]] Status give_name();

  std::string path_;  // as it was given
  Fd fd_;
  Fd folder_;  // invalid for a terminal or a pipe (-o /dev/stdout): nothing to rename
  std::string name_;
  std::string aside_;  // its name in the folder until commit(); empty while it has none
};

}  // namespace wick
