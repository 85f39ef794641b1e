// A folder of the test's own, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace wick::test {

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create(const std::filesystem::path& parent) {
    std::string pattern = (parent / "wick-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return fail_errno("mkdtemp " + pattern);
    return TemporaryFolder{pattern};
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace wick::test
