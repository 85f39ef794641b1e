// The readers of text by kind, and big files read on several cores: a file is cut where a record
// begins, each piece gets a reader and a thread, and the pieces are merged in their order.
#pragma once

#include <memory>

#include "base/fd.h"
#include "formats/line_reader.h"
#include "formats/read/read.h"

namespace wick {

[[nodiscard]] bool is_text(InputKind kind);

// What a reader in the middle of a file must know of its beginning.
struct FileBeginning {
  std::vector<ValueType> types;
  bool differential = false;
};

[[nodiscard]] std::unique_ptr<LineReader> text_reader(InputKind kind, const ReadOptions& options,
                                                      const FileBeginning* beginning = nullptr);

// Nothing when the file is better read in one go: small, of a kind that cannot be cut, or not
// understood, in which case reading it from the beginning tells the line.
[[nodiscard]] Result<std::optional<Profile>> read_in_pieces(const Fd& file, u64 size,
                                                            std::string_view head, InputKind kind,
                                                            const ReadOptions& options);

}  // namespace wick
