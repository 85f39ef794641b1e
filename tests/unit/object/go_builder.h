// GoBuilder: small ELF images of Go programs for tests: a .gopclntab, its code and its moduledata.
//
//   GoBuilder go{GoBuilder::kGo119};
//   go.function({.name = "main.leaf", .code = code, .pcsp = {{0, 16}}});
//   auto elf = ElfFile::from_bytes(go.build());
#pragma once

#include "object/elf_file.h"
#include "tests/unit/object/elf_builder.h"

namespace wick {

class GoBuilder {
 public:
  static constexpr u32 kGo119 = 0xfffffff0;
  static constexpr u32 kGo126 = 0xfffffff1;
  static constexpr u64 kText = 0x401000;
  static constexpr u64 kTable = 0x500000;
  static constexpr u64 kFuncdata = 0x600000;
  static constexpr u64 kModule = 0x700000;

  struct Value {
    i32 value;
    u32 bytes;
  };
  struct Inlined {
    std::string name;
    u32 caller_pc;
  };
  struct Function {
    std::string name;
    Bytes code;
    std::vector<Value> pcsp;
    u8 flags = 0;
    std::vector<Value> file = {};
    std::vector<Value> line = {};
    std::vector<Value> inlined = {};  // which of `calls`
    std::vector<Inlined> calls = {};
  };

  explicit GoBuilder(u32 magic) : magic_(magic) {}

  // Where it begins.
  u64 function(Function function) {
    const u64 at = kText + text_.size();
    entries_.push_back(static_cast<u32>(text_.size()));
    text_.insert(text_.end(), function.code.begin(), function.code.end());
    functions_.push_back(std::move(function));
    return at;
  }
  void file(std::string_view name) {
    append_raw(units_, static_cast<u32>(files_.size()));
    append_text(files_, name);
  }

  [[nodiscard]] Bytes build() {
    Bytes records;
    std::vector<u32> places;
    for (std::size_t i = 0; i < functions_.size(); i++) {
      places.push_back(static_cast<u32>(records.size()));
      add_record(records, functions_[i], entries_[i]);
    }
    const Bytes table = make_table(records, places);
    ElfBuilder elf;
    const auto add = [&](const char* name, u64 address, const Bytes& content, u32 flags) {
      const u32 index = elf.section({.name = name,
                                     .flags = SHF_ALLOC | (flags == PF_X ? u64{SHF_EXECINSTR} : 0),
                                     .address = address},
                                    content);
      elf.segment(PT_LOAD, PF_R | flags, address, content.size(), index);
    };
    add(".text", kText, text_, PF_X);
    add(".gopclntab", kTable, table, 0);
    add(".rodata", kFuncdata, funcdata_, 0);
    add(".noptrdata", kModule, make_module(), PF_W);
    return elf.build();
  }

 private:
  [[nodiscard]] bool newer() const { return magic_ == kGo126; }

  static void append_text(Bytes& out, std::string_view text) {
    const Bytes bytes = to_bytes(text);
    out.insert(out.end(), bytes.begin(), bytes.end());
    out.push_back(std::byte{0});
  }
  static void append_varint(Bytes& out, u32 value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
    out.push_back(static_cast<std::byte>(value));
  }
  u32 add_name(std::string_view name) {
    const auto at = static_cast<u32>(names_.size());
    append_text(names_, name);
    return at;
  }
  u32 add_values(const std::vector<Value>& values) {
    if (values.empty()) return 0;
    const auto at = static_cast<u32>(pctab_.size());
    i32 before = -1;
    for (const Value& value : values) {
      const i32 step = value.value - before;
      append_varint(pctab_, static_cast<u32>(step) << 1 ^ static_cast<u32>(step >> 31));
      append_varint(pctab_, value.bytes);
      before = value.value;
    }
    pctab_.push_back(std::byte{0});
    return at;
  }
  u32 add_tree(const std::vector<Inlined>& calls) {
    if (calls.empty()) return ~u32{0};
    const auto at = static_cast<u32>(funcdata_.size());
    for (const Inlined& call : calls) {
      append_raw(funcdata_, u32{0});
      if (!newer()) append_raw(funcdata_, u64{0});  // file and line
      append_raw(funcdata_, add_name(call.name));
      append_raw(funcdata_, call.caller_pc);
      if (newer()) append_raw(funcdata_, u32{0});  // the line it begins at
    }
    return at;
  }
  void add_record(Bytes& out, const Function& function, u32 entry) {
    append_raw(out, entry);
    append_raw(out, add_name(function.name));
    append_raw(out, u64{0});
    for (const auto* values : {&function.pcsp, &function.file, &function.line})
      append_raw(out, add_values(*values));
    append_raw(out, u32{3});  // pcdata
    append_raw(out, u32{0});  // unit
    if (newer()) append_raw(out, u32{0});
    for (const int byte : {0, int{function.flags}, 0, 4})
      out.push_back(static_cast<std::byte>(byte));
    append_raw(out, u64{0});
    append_raw(out, add_values(function.inlined));
    for (int i = 0; i < 3; i++) append_raw(out, ~u32{0});
    append_raw(out, add_tree(function.calls));
  }
  Bytes make_table(const Bytes& records, const std::vector<u32>& places) {
    const u64 units_at = 72 + names_.size();
    const u64 files_at = units_at + units_.size();
    const u64 pctab_at = files_at + files_.size();
    functab_ = pctab_at + pctab_.size();
    const u64 records_at = 8 * functions_.size() + 8;
    Bytes out;
    append_raw(out, magic_);
    append_raw(out, u32{0x08010000});
    for (const u64 word : {u64{functions_.size()}, u64{1}, newer() ? u64{0} : kText, u64{72},
                           units_at, files_at, pctab_at, functab_})
      append_raw(out, word);
    for (const Bytes* part : {&names_, &units_, &files_, &pctab_})
      out.insert(out.end(), part->begin(), part->end());
    for (std::size_t i = 0; i < functions_.size(); i++) {
      append_raw(out, entries_[i]);
      append_raw(out, static_cast<u32>(records_at + places[i]));
    }
    append_raw(out, static_cast<u32>(text_.size()));
    append_raw(out, u32{0});
    out.insert(out.end(), records.begin(), records.end());
    return out;
  }
  [[nodiscard]] Bytes make_module() const {
    std::vector<u64> words(48);
    words[0] = kTable;
    words[16] = kTable + functab_;
    words[17] = functions_.size() + 1;
    words[22] = kText;
    words[newer() ? 40 : 38] = kFuncdata;
    Bytes out;
    for (const u64 word : words) append_raw(out, word);
    return out;
  }

  u32 magic_;
  Bytes text_;
  Bytes names_ = Bytes(1);
  Bytes units_;
  Bytes files_;
  Bytes pctab_ = Bytes(1);
  Bytes funcdata_ = Bytes(4);
  u64 functab_ = 0;
  std::vector<u32> entries_;
  std::vector<Function> functions_;
};

}  // namespace wick
