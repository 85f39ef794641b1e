// for_each_record: the fixed-size records of a table in a file, read in pieces of 64 KB and spent
// from the file's budget.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "object/byte_source.h"

namespace wick {

// Calls visit(index, record) for `count` records at `offset`, beginning with number `first`.
template <class Record, class Visit>
[[nodiscard]] Status for_each_record(const ByteSource& bytes, u64 offset, u64 first, u64 count,
                                     const Visit& visit) {
  constexpr u64 kPiece = (64U << 10) / sizeof(Record);
  if (first >= count) return {};
  if (count > bytes.size() / sizeof(Record) || !bytes.contains(offset, count * sizeof(Record)))
    return fail("table beyond the end of the file");
  std::vector<Record> piece(std::min(kPiece, count - first));
  for (u64 done = first; done < count;) {
    const std::span<Record> records{piece.data(), std::min<u64>(piece.size(), count - done)};
    TRY(bytes.read(offset + done * sizeof(Record), std::as_writable_bytes(records)));
    if (!bytes.budget().spend(Cost::steps, records.size())) return fail(bytes.budget().cause());
    for (const Record& record : records) visit(done++, record);
  }
  return {};
}

}  // namespace wick
