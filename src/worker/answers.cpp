#include "worker/answers.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "runtime/runtime_watch.h"

namespace wick {
namespace {

constexpr u32 kLongestCause = 512;
constexpr u32 kLongestIdentity = 1024;
constexpr u64 kMostSegments = 4096;
constexpr u64 kMostRows = 8'000'000;
constexpr u64 kMostCode = u64{1} << 30;
constexpr u64 kPageMask = (u64{1} << WICK_UNWIND_PAGE_BITS) - 1;

bool is_sound(const UnwindTable& table) {
  if (table.rows.empty() || (table.base & kPageMask) != 0 || table.limit <= table.base ||
      table.limit - table.base > kMostCode)
    return false;
  const auto& rows = table.rows;
  return rows.front().pc == 0 && rows.back().pc <= table.limit - table.base &&
         std::ranges::is_sorted(rows, std::less_equal{}, &wick_unwind_row::pc) &&
         std::ranges::all_of(rows, [](const auto& row) { return row.rule <= WICK_UNWIND_GO_CGO; });
}

}  // namespace

void encode(WireWriter& out, const BudgetReport& report) {
  out.put(report.cpu_ns);
  out.put<u8>(report.stopped ? 1 : 0);
  for (const std::string& text : {report.refused, report.complaint})
    out.text(std::string_view(text).substr(0, kLongestCause));
}

BudgetReport decode_budget_report(ByteReader& in) {
  BudgetReport report;
  report.cpu_ns = in.fixed<u64>();
  report.stopped = in.byte() != 0;
  report.refused = printable(wire_text(in, kLongestCause));
  report.complaint = printable(wire_text(in, kLongestCause));
  return report;
}

std::vector<std::byte> encode(const TableAnswer& answer) {
  WireWriter out;
  out.put(std::to_underlying(answer.kind));
  encode(out, answer.spent);
  out.text(answer.identity);
  out.array(std::span<const ElfSegment>(answer.code));
  pack_runtime(out, answer.runtime.get());
  const UnwindTable& table = answer.table;
  for (const u64 number :
       {table.base, table.limit, table.functions, table.code_bytes, table.skipped})
    out.put(number);
  out.array(std::span<const wick_unwind_row>(table.rows));
  return out.take();
}

Result<TableAnswer> decode_table_answer(std::span<const std::byte> bytes) {
  ByteReader in{bytes};
  TableAnswer answer;
  const u8 kind = in.byte();
  answer.spent = decode_budget_report(in);
  answer.identity = wire_text(in, kLongestIdentity);
  answer.code = wire_array<ElfSegment>(in, kMostSegments);
  answer.runtime = unpack_runtime(in);
  UnwindTable& table = answer.table;
  for (u64* number :
       {&table.base, &table.limit, &table.functions, &table.code_bytes, &table.skipped})
    *number = in.fixed<u64>();
  table.rows = wire_array<wick_unwind_row>(in, kMostRows);
  if (!in.ok() || !in.done() || kind > std::to_underlying(TableKind::last))
    return fail("an answer about a table is malformed");
  answer.kind = static_cast<TableKind>(kind);
  if (answer.kind != TableKind::rows) {
    table = {};
    return answer;
  }
  if (!is_sound(table)) return fail("an unwind table is out of order");
  index_rows(table);
  return answer;
}

}  // namespace wick
