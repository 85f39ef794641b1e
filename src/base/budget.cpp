#include "base/budget.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "base/clock.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr u64 kMegabyte = u64{1} << 20;
// A file system that does not count blocks: what a usual program needs.
constexpr u64 kUnknownRealBytes = 16 * kMegabyte;
constexpr std::size_t kMaxRefusedNames = 256;
constexpr std::size_t kShownNames = 32;

// `base` and as much again for each real byte, within `most`.
struct CostRule {
  u64 base;
  u64 for_64_bytes;
  u64 most;
};

constexpr CostRule rule_of(Cost cost) {
  switch (cost) {
    case Cost::read:
      return {16 * kMegabyte, 8 * 64, ~u64{0}};
    case Cost::unpacked:
      return {4 * kMegabyte, 32 * 64, 160 * kMegabyte};
    case Cost::memory:
      return {16 * kMegabyte, 16 * 64, Budget::kMemoryLimit};
    case Cost::functions:
      return {1U << 16, 8, 4'000'000};
    case Cost::rows:
      return {1U << 16, 32, 6'000'000};
    case Cost::stubs:
      return {1U << 12, 8, 1U << 20};
    case Cost::symbols:
      return {1U << 16, 4, 4U << 20};
    case Cost::steps:
      return {4U << 20, 32 * 64, u64{1} << 32};
    case Cost::cpu:
      return {500'000'000, 640, 10'000'000'000};
    default:
      return {~u64{0} / 2, 0, ~u64{0} / 2};
  }
}

std::string amount_text(u64 bytes) {
  return with_commas(bytes >> 20) + " MB";
}

u64 real_size(const struct stat& file) {
  const auto size = static_cast<u64>(file.st_size);
  const u64 blocks = static_cast<u64>(file.st_blocks) * 512;
  if (blocks == 0) return std::min(size, kUnknownRealBytes);
  return std::min(size, blocks);
}

}  // namespace

Budget::Budget(u64 real_bytes, BudgetTerms terms)
    : terms_(std::move(terms)), real_bytes_(real_bytes) {
  set_limits();
  if (terms_.run != nullptr && terms_.run->is_used_up()) refuse(Cost::run);
}

std::shared_ptr<Budget> Budget::for_file(const Fd& fd, BudgetTerms terms) {
  struct stat file{};
  const bool known = fd.valid() && ::fstat(fd.get(), &file) == 0;
  return std::make_shared<Budget>(known ? real_size(file) : 0, std::move(terms));
}

void Budget::set_limits() {
  const bool wary = terms_.run != nullptr && terms_.run->is_wary();
  for (std::size_t i = 0; i < limits_.size(); i++) {
    const auto cost = static_cast<Cost>(i);
    CostRule rule = rule_of(cost);
    if (wary && (cost == Cost::cpu || cost == Cost::steps)) rule.base /= 10;
    const u64 units = real_bytes_ / 64;
    const bool huge = rule.for_64_bytes != 0 && units > (~u64{0} / 2) / rule.for_64_bytes;
    limits_[i] = std::min(rule.most, huge ? rule.most : rule.base + units * rule.for_64_bytes);
  }
  if (!lines_) return;
  // Texts and entries are looked up here and there, a page at a time.
  const u64 real = std::min(real_bytes_, u64{1} << 36);
  limits_[static_cast<std::size_t>(Cost::read)] += 64 * kMegabyte + 32 * real;
  limits_[static_cast<std::size_t>(Cost::cpu)] +=
      std::min(kNanosPerSecond + real * 40, 30 * kNanosPerSecond);
}

void Budget::admit(u64 real_bytes) {
  real_bytes_ += std::min(real_bytes, (~u64{0} >> 1) - real_bytes_);
  set_limits();
}

void Budget::admit_lines() {
  lines_ = true;
  set_limits();
}

void Budget::begin_again() {
  used_ = {};
  refused_ = Cost::kinds;
  lines_ = false;
  set_limits();
}

void Budget::look() {
  since_look_ = 0;
  if (terms_.stop && terms_.stop()) refuse(Cost::stopped);
  if (turn_began_ns_ == 0) return;
  const u64 now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  u64& used = used_[static_cast<std::size_t>(Cost::cpu)];
  used += now - std::min(now, turn_began_ns_);
  turn_began_ns_ = now;
  if (used > limit(Cost::cpu)) refuse(Cost::cpu);
}

std::string Budget::cause() const {
  switch (refused_) {
    case Cost::read:
      return "more than " + amount_text(limit(refused_)) + " to read for its size";
    case Cost::unpacked:
      return "unpacks to more than " + amount_text(limit(refused_));
    case Cost::memory:
      return "needs more than " + amount_text(limit(refused_)) + " of memory";
    case Cost::functions:
      return "more than " + with_commas(limit(refused_)) + " records of unwind information";
    case Cost::rows:
      return "more than " + with_commas(limit(refused_)) + " rows of unwind information";
    case Cost::stubs:
      return "more than " + with_commas(limit(refused_)) + " PLT stubs";
    case Cost::symbols:
      return "more than " + with_commas(limit(refused_)) + " symbols at the same addresses";
    case Cost::steps:
      return "more work than its size explains";
    case Cost::cpu:
      return "took more than " + with_commas(limit(refused_) / 1'000'000) + " ms";
    case Cost::run:
      return "all files together took too long";
    case Cost::stopped:
      return "stopped";
    case Cost::kinds:
      break;
  }
  return {};
}

Budget::Turn::Turn(Budget& budget) : budget_(budget.turn_began_ns_ == 0 ? &budget : nullptr) {
  if (budget_ != nullptr) budget_->turn_began_ns_ = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

Budget::Turn::~Turn() {
  if (budget_ == nullptr) return;
  budget_->look();
  budget_->turn_began_ns_ = 0;
}

BudgetReport Budget::report() const {
  const bool stopped = refused_ == Cost::stopped;
  return {.cpu_ns = used(Cost::cpu),
          .stopped = stopped,
          .refused = stopped ? std::string{} : cause(),
          .complaint = complaint_};
}

void RunBudget::settle(const BudgetReport& report, std::string_view file) {
  cpu_ns_ += report.cpu_ns;
  if (report.stopped) return;
  if (report.refused.empty()) {
    if (!report.complaint.empty()) refuse(file, report.complaint);
    return;
  }
  wasted_ns_ += report.cpu_ns;
  refuse(file, report.refused);
}

void RunBudget::refuse(std::string_view file, std::string_view cause) {
  const std::scoped_lock guard{lock_};
  // A file may be refused for its table and for its names: it is one file.
  if (std::ranges::find(refused_, file, &Refused::file) != refused_.end()) return;
  by_cause_[std::string(cause)]++;
  if (refused_.size() < kMaxRefusedNames)
    refused_.push_back({std::string(file), std::string(cause)});
  else
    not_kept_++;
}

std::vector<RunBudget::Refused> RunBudget::refused() const {
  const std::scoped_lock guard{lock_};
  return refused_;
}

std::map<std::string, u64> RunBudget::by_cause() const {
  const std::scoped_lock guard{lock_};
  return by_cause_;
}

std::string RunBudget::text() const {
  const std::scoped_lock guard{lock_};
  if (refused_.empty()) return {};
  const u64 all = refused_.size() + not_kept_;
  std::string text =
      counted(all, "file") + (all == 1 ? " was" : " were") + " not read to the end: ";
  for (std::size_t i = 0; i < std::min(kShownNames, refused_.size()); i++)
    text += (i == 0 ? "" : ", ") + printable(refused_[i].file) + " (" + refused_[i].cause + ")";
  if (all > kShownNames) text += " and " + with_commas(all - kShownNames) + " more";
  return text;
}

std::string file_name_of(const Fd& fd) {
  std::array<char, PATH_MAX> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return length < 0 ? std::string{} : std::string(path.data(), static_cast<std::size_t>(length));
}

}  // namespace wick
