// TableCollector: takes what bpf/lib/table.bpf.h sums up out of the kernel, an interval at a time,
// while it goes on; nothing is lost or counted twice between two. One thread.
//
//   TableCollector collector{TRY(TableMaps::of(object))};
//   collector.set_sizes(by_number);                  // before the load
//   TRY(collector.poll());                           // now and then
//   std::vector<TableRow> rows = TRY(collector.take());
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bpf/abi/table.h"
#include "tool/run/two_sets.h"

namespace wick {

// The maps of an object that includes table.bpf.h.
struct TableMaps {
  TwoSets keyed;
  bpf_map* numbered;

  [[nodiscard]] static Result<TableMaps> of(const BpfObject& object) {
    return TableMaps{TRY(TwoSets::of(object, {"table_a", "table_b"}, "table_entries")),
                     TRY(object.map("table_numbered"))};
  }
};

// As the tool put them; a row by number has it in `first`.
struct TableKey {
  u64 first = 0;
  u64 second = 0;
  friend auto operator<=>(const TableKey&, const TableKey&) = default;
};

struct TableRow {
  TableKey key;
  std::string comm;       // the last one, where it changed
  std::string name = {};  // what the tool found out about it: a path, a function
  std::array<u64, WICK_TABLE_AMOUNTS> amounts{};
  u64 interval_ns = 0;  // how long it was added to; known when it is printed
  bool is_sum = false;  // of the rows of a section
};

class TableCollector {
 public:
  explicit TableCollector(TableMaps maps) : maps_(std::move(maps)) {}

  void set_sizes(bool by_number);
  // Makes room when there is little left.
  [[nodiscard]] Status poll();
  // What was added since the last look or take; the next take has it too.
  [[nodiscard]] Result<std::vector<TableRow>> look();
  // What was added since the last take, by key. Empty rows are left out.
  [[nodiscard]] Result<std::vector<TableRow>> take();

 private:
  [[nodiscard]] Status flip_and_drain();
  void put_aside();
  void add(TableKey key, const char* comm, const wick_table_amounts& sums);

  TableMaps maps_;
  bool by_number_ = false;
  std::map<TableKey, TableRow> fresh_;
  std::map<TableKey, TableRow> looked_at_;
};

}  // namespace wick
