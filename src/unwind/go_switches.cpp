#include "unwind/go_switches.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace wick {
namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};

// The code of one function, looked at for instructions we know by their bytes.
class GoCode {
 public:
  explicit GoCode(std::span<const std::byte> code) : code_(code) {}

  [[nodiscard]] std::size_t size() const { return code_.size(); }
  [[nodiscard]] u8 at(std::size_t i) const { return i < code_.size() ? u8(code_[i]) : u8{0}; }
  [[nodiscard]] i32 word(std::size_t i) const {
    i32 out = 0;
    if (i < code_.size() && code_.size() - i >= sizeof(out))
      std::memcpy(&out, code_.data() + i, sizeof(out));
    return out;
  }
  [[nodiscard]] std::size_t find(std::initializer_list<int> bytes, std::size_t from = 0) const {
    for (std::size_t i = from; i + bytes.size() <= code_.size(); i++) {
      std::size_t j = i;
      if (std::ranges::all_of(bytes, [&](int byte) { return at(j++) == byte; })) return i;
    }
    return kNowhere;
  }
  [[nodiscard]] bool has(std::initializer_list<int> bytes) const { return find(bytes) != kNowhere; }

 private:
  std::span<const std::byte> code_;
};

struct SpWrite {
  std::size_t begin;
  std::size_t end;
};

// mov REG,%rsp and mov DISP8(REG),%rsp.
std::vector<SpWrite> sp_writes(const GoCode& code) {
  std::vector<SpWrite> out;
  for (std::size_t i = 0; i + 3 <= code.size(); i++) {
    const u8 prefix = code.at(i);
    const u8 operand = code.at(i + 2);
    if ((prefix & 0xFB) == 0x48 && code.at(i + 1) == 0x89 && (operand & 0xC7) == 0xC4)
      out.push_back({i, i + 3});
    if ((prefix & 0xFE) == 0x48 && code.at(i + 1) == 0x8B && (operand & 0xF8) == 0x60 &&
        operand != 0x64)
      out.push_back({i, i + 4});
  }
  return out;
}

// call REL32, or call *%rax.
std::size_t next_call(const GoCode& code, std::size_t from) {
  return std::min(code.find({0xE8}, from), code.find({0xFF, 0xD0}, from));
}

// mov REG,DISP(%rsp) after its opcode and operand: which word of the stack it is, and how long.
std::optional<u8> stack_word(const GoCode& code, std::size_t store, u8 by_disp8, u8 plain) {
  if (store == kNowhere || code.at(store + 3) != 0x24) return std::nullopt;
  if (code.at(store + 2) == plain) return u8{0};
  if (code.at(store + 2) != by_disp8 || code.at(store + 4) % 8 != 0) return std::nullopt;
  const u8 words = code.at(store + 4) / 8;
  return words < 16 ? std::optional{words} : std::nullopt;
}

// mov %rdi,DISP(%rsp)
std::size_t find_rdi_store(const GoCode& code, std::size_t from) {
  return std::min(code.find({0x48, 0x89, 0x7C, 0x24}, from),
                  code.find({0x48, 0x89, 0x3C, 0x24}, from));
}

class SwitchFinder {
 public:
  SwitchFinder(std::string_view name, u64 begin, std::span<const std::byte> code,
               const std::optional<GoThread>& thread)
      : name_(name), begin_(begin), code_(code), thread_(thread), writes_(sp_writes(code_)) {}

  std::vector<GoSwitch> run() {
    const bool known = (name_ == "runtime.mcall" && mcall()) ||
                       (name_ == "runtime.systemstack" && systemstack()) ||
                       (name_ == "runtime.morestack" && morestack()) ||
                       (name_ == "runtime.asmcgocall" && asmcgocall()) ||
                       (name_ == "runtime.cgocallback" && cgocallback()) ||
                       ((name_ == "runtime.nanotime1" || name_ == "time.now") && vdso_call());
    if (!known) {
      out_.clear();
      add(writes_.empty() ? 0 : writes_.front().end, code_.size(), WICK_UNWIND_UNSUPPORTED);
    }
    return std::move(out_);
  }

 private:
  void add(std::size_t from, std::size_t to, wick_unwind_rule rule, u32 place = 0) {
    if (from < to) out_.push_back({begin_ + from, begin_ + to, rule, static_cast<u16>(place)});
  }
  [[nodiscard]] u32 in_thread(u32 word) const { return word | u32{thread_->tls} << 12; }

  bool mcall() {
    if (writes_.size() != 1) return false;
    add(writes_[0].end, code_.size(), WICK_UNWIND_END);
    return true;
  }

  bool systemstack() {
    if (!thread_ || writes_.size() != 2) return false;
    add(writes_[0].end, writes_[1].end, WICK_UNWIND_GO_SYSTEM, in_thread(thread_->curg));
    return true;
  }

  // It saves pc and sp of who needs more stack: mov %rax,0x40(REG), mov %rax,0x38(REG).
  bool morestack() {
    const bool saves =
        (code_.has({0x48, 0x89, 0x46, 0x40}) && code_.has({0x48, 0x89, 0x46, 0x38})) ||
        (code_.has({0x48, 0x89, 0x47, 0x40}) && code_.has({0x48, 0x89, 0x47, 0x38}));
    if (!thread_ || !saves || writes_.size() != 1) return false;
    add(writes_[0].end, code_.size(), WICK_UNWIND_GO_GROW, in_thread(thread_->curg));
    return true;
  }

  // First on a goroutine, then where it is already on the thread's stack. What is between the
  // change and the call is over in a moment.
  bool asmcgocall() {
    if (writes_.size() != 3) return false;
    const std::size_t g_store = find_rdi_store(code_, writes_[0].end);
    const auto g = stack_word(code_, g_store, 0x7C, 0x3C);
    const std::size_t depth_store = g ? find_rdi_store(code_, g_store + 4) : kNowhere;
    const auto depth = stack_word(code_, depth_store, 0x7C, 0x3C);
    if (!depth || code_.find({0x48, 0x8B, 0x7F, 0x08}, g_store) > depth_store) return false;
    const std::size_t call = next_call(code_, depth_store + 4);
    const std::size_t plain_store = std::min(code_.find({0x48, 0x89, 0x54, 0x24}, writes_[1].end),
                                             code_.find({0x48, 0x89, 0x14, 0x24}, writes_[1].end));
    const auto plain = stack_word(code_, plain_store, 0x54, 0x14);
    if (!plain || call >= writes_[1].begin) return false;
    const std::size_t plain_call = next_call(code_, plain_store + 4);
    if (plain_call >= writes_[2].begin) return false;
    add(writes_[0].end, call, WICK_UNWIND_UNSUPPORTED);
    add(call, writes_[1].end, WICK_UNWIND_GO_CGO, u32{*g} | u32{*depth} << 4);
    add(plain_store, plain_call, WICK_UNWIND_UNSUPPORTED);
    add(plain_call, writes_[2].end, WICK_UNWIND_SP_DEREF, *plain);
    return true;
  }

  // It leaves what m.g0.sched.sp was at 0(%rsp), and the new one there: mov %rax,(%rsp) and
  // mov %rsp,0x38(%rsi).
  bool cgocallback() {
    if (!thread_ || writes_.size() != 2 || !code_.has({0x48, 0x89, 0x04, 0x24}) ||
        !code_.has({0x48, 0x89, 0x66, 0x38}))
      return false;
    add(writes_[0].end, writes_[1].end, WICK_UNWIND_GO_CALLBACK, in_thread(0));
    return true;
  }

  // mov %rdx,M(%rbx) keeps the caller's sp; a system call stands in for a vdso that is missing.
  bool vdso_call() {
    const std::size_t store = code_.find({0x48, 0x89, 0x93});
    if (!thread_ || writes_.size() != 2 || store == kNowhere) return false;
    const i32 offset = code_.word(store + 3);
    if (offset <= 0 || offset % 8 != 0 || offset / 8 > 0xFF) return false;
    const u32 place = in_thread(static_cast<u32>(offset) / 8);
    add(writes_[0].end, writes_[1].end, WICK_UNWIND_GO_VDSO, place);
    const std::size_t system_call =
        code_.find({0x48, 0xC7, 0xC0, 0xE4, 0x00, 0x00, 0x00, 0x0F, 0x05}, writes_[1].end);
    if (system_call != kNowhere) add(system_call, code_.size(), WICK_UNWIND_GO_VDSO, place);
    return true;
  }

  std::string_view name_;
  u64 begin_;
  GoCode code_;
  std::optional<GoThread> thread_;
  std::vector<SpWrite> writes_;
  std::vector<GoSwitch> out_;
};

}  // namespace

namespace {

// mov %fs:-TLS,%rax; or, position-independent, mov $-TLS,%rcx; mov %fs:(%rcx),%rax
i64 find_tls(const GoCode& code) {
  const std::size_t direct = code.find({0x64, 0x48, 0x8B, 0x04, 0x25});
  if (direct != kNowhere) return -i64{code.word(direct + 5)};
  const std::size_t by_register = code.find({0x64, 0x48, 0x8B, 0x01});
  if (by_register == kNowhere || by_register < 7) return 0;
  const std::size_t load = by_register - 7;
  return code.find({0x48, 0xC7, 0xC1}, load) == load ? -i64{code.word(load + 3)} : 0;
}

}  // namespace

// The thread pointer's g; mov 0x30(%rax),%rbx; … mov CURG(%rbx),%rax; … mov 0x38(%rax),%rsp
std::optional<GoThread> find_go_thread(std::span<const std::byte> systemstack) {
  const GoCode code{systemstack};
  const i64 tls = find_tls(code);
  const std::size_t curg = code.find({0x48, 0x8B, 0x83});
  if (curg == kNowhere || !code.has({0x48, 0x8B, 0x58, 0x30}) ||
      !code.has({0x48, 0x8B, 0x60, 0x38}))
    return std::nullopt;
  const i64 offset = code.word(curg + 3);
  if (tls <= 0 || tls % 8 != 0 || tls / 8 > 15 || offset <= 0 || offset % 8 != 0 ||
      offset / 8 > 255)
    return std::nullopt;
  return GoThread{.tls = static_cast<u8>(tls / 8), .curg = static_cast<u8>(offset / 8)};
}

std::vector<GoSwitch> find_go_switches(std::string_view name, u64 begin,
                                       std::span<const std::byte> code,
                                       const std::optional<GoThread>& thread) {
  return SwitchFinder{name, begin, code, thread}.run();
}

}  // namespace wick
