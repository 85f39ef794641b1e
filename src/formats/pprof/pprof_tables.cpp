#include "formats/pprof/pprof_tables.h"

#include <fmt/format.h>

#include "base/text.h"

namespace wick {
namespace {

using namespace pprof;  // NOLINT(google-build-using-namespace): the field names, in this file alone
template <class Field>
using Message = protozero::pbf_message<Field>;

PprofValueType scan_value_type(protozero::data_view bytes) {
  PprofValueType out;
  Message<ValueTypeField> message{bytes};
  while (message.next()) {
    const ValueTypeField field = message.tag();
    const i64 number = pprof_number(message);
    if (field == ValueTypeField::type) out.type = number;
    if (field == ValueTypeField::unit) out.unit = number;
  }
  return out;
}

PprofRawMapping scan_mapping(protozero::data_view bytes) {
  PprofRawMapping out;
  Message<MappingField> message{bytes};
  while (message.next()) {
    const MappingField field = message.tag();
    const i64 number = pprof_number(message);
    if (field == MappingField::id) out.id = static_cast<u64>(number);
    if (field == MappingField::memory_start) out.start = static_cast<u64>(number);
    if (field == MappingField::memory_limit) out.limit = static_cast<u64>(number);
    if (field == MappingField::file_offset) out.offset = static_cast<u64>(number);
    if (field == MappingField::filename) out.path = number;
    if (field == MappingField::build_id) out.build_id = number;
  }
  return out;
}

PprofRawFunction scan_function(protozero::data_view bytes) {
  PprofRawFunction out;
  Message<FunctionField> message{bytes};
  while (message.next()) {
    const FunctionField field = message.tag();
    const i64 number = pprof_number(message);
    if (field == FunctionField::id) out.id = static_cast<u64>(number);
    if (field == FunctionField::name) out.name = number;
    if (field == FunctionField::system_name) out.system_name = number;
    if (field == FunctionField::filename) out.file = number;
  }
  return out;
}

PprofRawLine scan_line(protozero::data_view bytes) {
  PprofRawLine out;
  Message<LineField> message{bytes};
  while (message.next()) {
    const LineField field = message.tag();
    const i64 number = pprof_number(message);
    if (field == LineField::function_id) out.function = static_cast<u64>(number);
    if (field == LineField::line) out.line = number;
  }
  return out;
}

PprofRawLocation scan_location(protozero::data_view bytes, std::vector<PprofRawLine>& lines) {
  PprofRawLocation out{.first_line = static_cast<u32>(lines.size())};
  Message<LocationField> message{bytes};
  while (message.next()) {
    const LocationField field = message.tag();
    if (field == LocationField::line) {
      lines.push_back(scan_line(pprof_bytes(message)));
      out.line_count++;
      continue;
    }
    const i64 number = pprof_number(message);
    if (field == LocationField::id) out.id = static_cast<u64>(number);
    if (field == LocationField::mapping_id) out.mapping = static_cast<u64>(number);
    if (field == LocationField::address) out.address = static_cast<u64>(number);
  }
  return out;
}

bool is_table(ProfileField field) {
  switch (field) {
    case ProfileField::sample_type:
    case ProfileField::mapping:
    case ProfileField::location:
    case ProfileField::function:
    case ProfileField::string_table:
    case ProfileField::period_type:
      return true;
    default:
      return false;
  }
}

void scan_row(Message<ProfileField>& message, PprofTables& out) {
  const ProfileField field = message.tag();
  const protozero::data_view bytes = pprof_bytes(message);
  if (field == ProfileField::sample_type) out.sample_types.push_back(scan_value_type(bytes));
  if (field == ProfileField::mapping) out.mappings.push_back(scan_mapping(bytes));
  if (field == ProfileField::location) out.locations.push_back(scan_location(bytes, out.lines));
  if (field == ProfileField::function) out.functions.push_back(scan_function(bytes));
  if (field == ProfileField::string_table) out.strings.emplace_back(bytes.data(), bytes.size());
  if (field == ProfileField::period_type) out.period_type = scan_value_type(bytes);
}

void scan_number(Message<ProfileField>& message, PprofTables& out) {
  const ProfileField field = message.tag();
  if (field == ProfileField::comment) {
    for_each_pprof_number(message, [&](i64 number) { out.comments.push_back(number); });
    return;
  }
  const i64 number = pprof_number(message);
  if (field == ProfileField::time_nanos) out.time_ns = number;
  if (field == ProfileField::duration_nanos) out.duration_ns = number;
  if (field == ProfileField::period) out.period = number;
  if (field == ProfileField::default_sample_type) out.default_type = number;
}

Status check_sizes(const PprofTables& tables, const ReadLimits& limits) {
  const std::size_t most = limits.frames;
  for (const std::size_t size :
       {tables.strings.size(), tables.mappings.size(), tables.locations.size(),
        tables.functions.size(), tables.lines.size(), tables.comments.size()})
    if (size > most) return fail(fmt::format("a table of more than {} rows", with_commas(most)));
  if (tables.sample_types.size() > limits.value_types)
    return fail(fmt::format("more than {} sample types", limits.value_types));
  return {};
}

}  // namespace

Result<std::string_view> PprofTables::text(i64 index) const {
  if (index == 0) return std::string_view{};
  if (index < 0 || static_cast<u64>(index) >= strings.size())
    return fail(fmt::format("string {} is not there: the table has {}", index, strings.size()));
  return strings[static_cast<std::size_t>(index)];
}

bool PprofIds::add(u64 id, u32 row) {
  if (id == 0 || find(id) != nullptr) return false;
  if (id - 1 == dense_.size())
    dense_.push_back(row);
  else
    sparse_.emplace(id, row);
  return true;
}

const u32* PprofIds::find(u64 id) const {
  if (id - 1 < dense_.size()) return &dense_[id - 1];
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? nullptr : &found->second;
}

Result<PprofTables> scan_pprof(std::string_view message, const ReadLimits& limits,
                               std::size_t& at) {
  PprofTables out;
  Message<ProfileField> top{message.data(), message.size()};
  while (top.next()) {
    at = message.size() - top.data().size();
    if (top.tag() == ProfileField::sample)
      top.skip();
    else if (is_table(top.tag()))
      scan_row(top, out);
    else
      scan_number(top, out);
    TRY(check_sizes(out, limits));
  }
  return out;
}

}  // namespace wick
