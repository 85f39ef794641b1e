// PythonRuntimeFile: a CPython interpreter in a file, as a RuntimeFile. Any thread may read it.
#pragma once

#include "runtime/python/python_layout.h"
#include "runtime/runtime.h"

namespace wick {

class PythonRuntimeFile : public RuntimeFile {
 public:
  explicit PythonRuntimeFile(PythonFile file) : file_(std::move(file)) {}

  [[nodiscard]] const PythonFile& file() const { return file_; }
  [[nodiscard]] const Runtime& runtime() const override;
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] std::optional<wick_runtime> attach(const RuntimeProcess& process) const override;
  void pack(WireWriter& out) const override;

 private:
  PythonFile file_;
};

}  // namespace wick
