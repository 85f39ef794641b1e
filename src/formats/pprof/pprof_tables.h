// The tables of a profile.proto as they stand in the file: numbers that refer to one another and
// are not looked at yet. The first pass of read_pprof.
#pragma once

#include <protozero/pbf_message.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "formats/pprof/pprof_proto.h"
#include "formats/read_limits.h"

namespace wick {

struct PprofValueType {
  i64 type = 0;
  i64 unit = 0;
};
struct PprofRawMapping {
  u64 id = 0;
  u64 start = 0;
  u64 limit = 0;
  u64 offset = 0;
  i64 path = 0;
  i64 build_id = 0;
};
struct PprofRawFunction {
  u64 id = 0;
  i64 name = 0;
  i64 system_name = 0;
  i64 file = 0;
};
struct PprofRawLine {
  u64 function = 0;
  i64 line = 0;
};
struct PprofRawLocation {
  u64 id = 0;
  u64 mapping = 0;
  u64 address = 0;
  u32 first_line = 0;  // into PprofTables::lines
  u32 line_count = 0;
};

struct PprofTables {
  std::vector<std::string_view> strings;  // in the message
  std::vector<PprofValueType> sample_types;
  std::vector<PprofRawMapping> mappings;
  std::vector<PprofRawFunction> functions;
  std::vector<PprofRawLocation> locations;
  std::vector<PprofRawLine> lines;
  std::vector<i64> comments;
  i64 time_ns = 0;
  i64 duration_ns = 0;
  PprofValueType period_type;
  i64 period = 0;
  i64 default_type = 0;

  [[nodiscard]] Result<std::string_view> text(i64 index) const;
};

// Where the row with an id stands. Ids are any numbers, but mostly 1, 2, 3….
class PprofIds {
 public:
  // Says no to an id that is 0 or was there.
  [[nodiscard]] bool add(u64 id, u32 row);
  [[nodiscard]] const u32* find(u64 id) const;

 private:
  std::vector<u32> dense_;  // by id - 1
  std::unordered_map<u64, u32, SeededHash> sparse_;
};

// The field's number; of a field that is none, 0. Never asks protozero for what is not there: it
// would assert.
template <class Field>
[[nodiscard]] i64 pprof_number(protozero::pbf_message<Field>& message) {
  if (message.wire_type() == protozero::pbf_wire_type::varint) return message.get_int64();
  message.skip();
  return 0;
}

// Calls `each(number)` for a repeated field's numbers, packed or not.
template <class Field, class Each>
void for_each_pprof_number(protozero::pbf_message<Field>& message, Each each) {
  if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
    for (const i64 number : message.get_packed_int64()) each(number);
  } else {
    each(pprof_number(message));
  }
}

template <class Field>
[[nodiscard]] protozero::data_view pprof_bytes(protozero::pbf_message<Field>& message) {
  if (message.wire_type() == protozero::pbf_wire_type::length_delimited) return message.get_view();
  message.skip();
  return {};
}

// Protobuf that is cut or damaged throws protozero's exceptions; `at` is where it was then.
[[nodiscard]] Result<PprofTables> scan_pprof(std::string_view message, const ReadLimits& limits,
                                             std::size_t& at);

}  // namespace wick
