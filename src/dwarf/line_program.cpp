#include "dwarf/line_program.h"

#include <algorithm>

namespace wick {
namespace {

constexpr std::size_t kMostFiles = 1U << 18;
constexpr u64 kLongestLength = 12;

bool is_absolute(std::string_view path) {
  return path.starts_with('/');
}

std::string joined(std::string folder, std::string_view name) {
  if (!folder.empty() && !folder.ends_with('/')) folder += '/';
  return folder.append(name);
}

}  // namespace

std::optional<LineProgram> LineProgram::open(DebugInfo& info, const DwarfUnit& unit,
                                             std::string comp_dir) {
  if (!unit.line_program) return std::nullopt;
  DebugSection& section = info.sections().line;
  ByteReader length = section.reader(*unit.line_program, kLongestLength);
  u64 size = length.fixed<u32>();
  LineProgram out{info, unit, std::move(comp_dir)};
  if (size == 0xFFFFFFFF) {
    size = length.fixed<u64>();
    out.format_.offset_size = 8;
  }
  // Units may share a program, or claim to.
  if (!length.ok() || size > section.size() || !info.limit().spend(size)) return std::nullopt;
  const u64 begin = length.position();
  ByteReader in = section.reader(begin, size);
  if (in.rest().size() != size || !out.read_header(in)) return std::nullopt;
  return out;
}

bool LineProgram::read_header(ByteReader in) {
  format_.version = in.fixed<u16>();
  if (format_.version < 2 || format_.version > 5) return false;
  format_.address_size = unit_->format.address_size;
  if (format_.version >= 5) {
    format_.address_size = in.byte();
    in.skip(1);  // size of a segment selector
  }
  ByteReader header = in.take(read_sized(in, format_.offset_size));
  program_ = in;
  minimum_length_ = header.byte();
  if (format_.version >= 4) header.skip(1);  // operations in an instruction: not one on VLIW only
  header.skip(1);                            // whether rows begin statements
  line_base_ = header.fixed<i8>();
  line_range_ = header.byte();
  opcode_base_ = header.byte();
  if (!header.ok() || line_range_ == 0 || opcode_base_ == 0) return false;
  for (unsigned i = 1; i < opcode_base_; i++) operand_counts_.push_back(header.byte());
  const bool good = format_.version >= 5
                        ? read_new_table(header, directories_) && read_new_table(header, files_)
                        : read_old_tables(header);
  // Without the names of files, lines still say something.
  if (!good) info_->set_damaged();
  return true;
}

bool LineProgram::read_old_tables(ByteReader& in) {
  const auto named = [&](std::string_view name) {
    return File{.name = {.kind = FormValue::text, .bytes = name}};
  };
  // They count from 1; number 0 is where the compiler was started, and a file that is none.
  directories_.push_back({});
  files_.push_back({});
  for (std::string_view name = in.text(); !name.empty(); name = in.text()) {
    if (directories_.size() == kMostFiles) return false;
    directories_.push_back(named(name));
  }
  for (std::string_view name = in.text(); !name.empty(); name = in.text()) {
    if (files_.size() == kMostFiles) return false;
    files_.push_back(named(name));
    files_.back().directory = in.uleb();
    (void)in.uleb();  // time
    (void)in.uleb();  // size
  }
  return in.ok();
}

bool LineProgram::read_new_table(ByteReader& in, std::vector<File>& out) {
  struct Column {
    u64 content;
    u16 form;
  };
  std::vector<Column> columns(in.byte());
  for (Column& column : columns) {
    column.content = in.uleb();
    column.form = static_cast<u16>(std::min<u64>(in.uleb(), 0xFFFF));
  }
  const u64 count = in.uleb();
  // Each takes a byte at least: a table of nothing could be endless.
  if (!in.ok() || count > in.rest().size() || count > kMostFiles) return false;
  for (u64 i = 0; i < count && in.ok(); i++) {
    File file;
    for (const Column& column : columns) {
      const FormValue value = read_form(in, column.form, 0, format_);
      if (column.content == DW_LNCT_path) file.name = value;
      if (column.content == DW_LNCT_directory_index) file.directory = value.number;
    }
    out.push_back(file);
  }
  return in.ok();
}

struct LineProgram::Search {
  std::span<const u64> sorted;
  std::span<SourcePlace> places;
  WorkLimit& limit;

  u64 address = 0;
  u64 file = 1;
  u64 line = 1;
  bool in_sequence = false;
  bool dead = false;  // code that the linker dropped
  u64 last_address = 0;
  SourcePlace last;
  std::size_t next = 0;  // the first of `sorted` that is not before last_address

  // The row before holds up to here.
  void row() {
    if (!in_sequence || address < last_address) {
      next = static_cast<std::size_t>(std::ranges::lower_bound(sorted, address) - sorted.begin());
      dead = !in_sequence ? address == 0 : dead;
    } else {
      while (next < sorted.size() && sorted[next] < address) {
        SourcePlace& place = places[next++];
        if (!limit.spend(1)) return;
        if (!place.known && !dead) place = last;
      }
    }
    in_sequence = true;
    last_address = address;
    last = {.file = static_cast<u32>(std::min<u64>(file, ~u32{0})),
            .line = line <= ~u32{0} ? static_cast<u32>(line) : 0,
            .known = true};
  }
  void end_sequence() {
    row();
    address = 0;
    file = 1;
    line = 1;
    in_sequence = false;
  }
};

void LineProgram::find(std::span<const u64> sorted, std::span<SourcePlace> places) {
  Search search{.sorted = sorted, .places = places, .limit = info_->limit(), .last = {}};
  ByteReader in = program_;
  while (!in.done() && !search.limit.reached()) {
    const u8 opcode = in.byte();
    if (opcode < opcode_base_) {
      step(in, opcode, search);
      continue;
    }
    const auto adjusted = static_cast<u8>(opcode - opcode_base_);
    search.address += u64{minimum_length_} * (adjusted / line_range_);
    search.line += static_cast<u64>(i64{line_base_}) + adjusted % line_range_;
    search.row();
  }
  if (!in.ok()) info_->set_damaged();
}

void LineProgram::step(ByteReader& in, u8 opcode, Search& search) {
  switch (opcode) {
    case DW_LNS_extended:
      return extended_step(in, search);
    case DW_LNS_copy:
      return search.row();
    case DW_LNS_advance_pc:
      search.address += u64{minimum_length_} * in.uleb();
      return;
    case DW_LNS_advance_line:
      search.line += static_cast<u64>(in.sleb());
      return;
    case DW_LNS_set_file:
      search.file = in.uleb();
      return;
    case DW_LNS_const_add_pc:
      search.address += u64{minimum_length_} * ((255U - opcode_base_) / line_range_);
      return;
    case DW_LNS_fixed_advance_pc:
      search.address += in.fixed<u16>();
      return;
    default:
      for (u8 i = 0; i < operand_counts_[opcode - 1U]; i++) (void)in.uleb();
  }
}

void LineProgram::extended_step(ByteReader& in, Search& search) {
  ByteReader operands = in.take(in.uleb());
  switch (operands.byte()) {
    case DW_LNE_end_sequence:
      return search.end_sequence();
    case DW_LNE_set_address:
      search.address = read_sized(operands, operands.rest().size() == 4 ? 4 : 8);
      return;
    case DW_LNE_define_file: {
      File file{.name = {.kind = FormValue::text}};
      file.name.bytes = operands.text();
      file.directory = operands.uleb();
      if (files_.size() < kMostFiles) files_.push_back(file);
      return;
    }
    default:
      return;  // discriminators, and what nobody knows
  }
}

std::string LineProgram::directory(u64 index) {
  const bool is_start = index == 0 && format_.version < 5;
  if (is_start || index >= directories_.size()) return comp_dir_;
  const std::string_view name = info_->text(*unit_, directories_[index].name);
  return is_absolute(name) || index == 0 ? std::string{name} : joined(comp_dir_, name);
}

std::string LineProgram::make_path(u64 file) {
  if (file >= files_.size()) return {};
  const std::string name{info_->text(*unit_, files_[file].name)};
  if (name.empty() || is_absolute(name)) return name;
  return joined(directory(files_[file].directory), name);
}

const std::string& LineProgram::path(u64 file) {
  const auto [at, is_new] = paths_.try_emplace(file);
  if (is_new) at->second = make_path(file);
  return at->second;
}

}  // namespace wick
