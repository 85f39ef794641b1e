// The worker's answers as bytes, and back. What comes from a worker may have been written by
// whoever took it over: every length, index and order is checked before anything is used.
// Thread rule: free functions, no state. Fuzzed by tests/fuzz/fuzz_worker_answers.cpp.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "base/wire.h"
#include "worker/file_work.h"
#include "worker/name_work.h"

namespace wick {

[[nodiscard]] std::vector<std::byte> encode(const TableAnswer& answer);
// What the kernel's walk relies on holds of a table that was accepted: rows ascend, lie within the
// limit and have rules that exist.
[[nodiscard]] Result<TableAnswer> decode_table_answer(std::span<const std::byte> bytes);

[[nodiscard]] std::vector<std::byte> encode(const NamesAnswer& answer);
// `places`: how many were asked for. Every number of a text and of an inlined call exists.
[[nodiscard]] Result<NamesAnswer> decode_names_answer(std::span<const std::byte> bytes,
                                                      std::size_t places);

void encode(WireWriter& out, const BudgetReport& report);
[[nodiscard]] BudgetReport decode_budget_report(ByteReader& in);

}  // namespace wick
