#include "tool/unwind/unwind_builder.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "base/clock.h"
#include "base/memory_reserve.h"
#include "kernel/own_privileges.h"

namespace wick {
namespace {

// A process can map 65,000 files, and each is a descriptor of ours while it waits.
constexpr std::size_t kMaxWaiting = 8192;

void wake(const Fd& event) {
  const u64 one = 1;
  [[maybe_unused]] const ssize_t told = ::write(event.get(), &one, sizeof(one));
}

}  // namespace

std::optional<u64> FileTable::vaddr_of(u64 file_offset) const {
  for (const ElfSegment& segment : code)
    if (file_offset >= segment.offset && file_offset - segment.offset < segment.file_size)
      return segment.vaddr + (file_offset - segment.offset);
  // A mapping begins at a page, its segment perhaps in the middle of it.
  for (const ElfSegment& segment : code)
    if (file_offset < segment.offset && segment.offset - file_offset < 0x10000)
      return segment.vaddr - (segment.offset - file_offset);
  return std::nullopt;
}

FileIdentity identity_of(const Fd& fd) {
  struct stat file{};
  if (!fd.valid() || ::fstat(fd.get(), &file) != 0) return {};
  return {.device = file.st_dev,
          .inode = file.st_ino,
          .bytes = static_cast<u64>(file.st_size),
          .changed_ns = static_cast<u64>(file.st_mtim.tv_sec) * kNanosPerSecond +
                        static_cast<u64>(file.st_mtim.tv_nsec)};
}

Result<std::unique_ptr<UnwindBuilder>> UnwindBuilder::create(u64 memory_limit,
                                                             FileWorkerOptions worker) {
  return std::unique_ptr<UnwindBuilder>{
      new UnwindBuilder(TRY(UnwindMemory::make_map()), memory_limit, std::move(worker))};
}

UnwindBuilder::UnwindBuilder(Fd map, u64 memory_limit, FileWorkerOptions worker)
    : memory_(std::move(map), memory_limit),
      done_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      budget_(worker.budget),
      worker_(std::move(worker)),
      thread_([this] { work(); }) {}

UnwindBuilder::~UnwindBuilder() {
  stop();
  thread_.join();
}

void UnwindBuilder::stop() {
  stopping_ = true;
  {
    const std::scoped_lock guard{lock_};
    ending_ = true;
    requests_.clear();
  }
  wake_.notify_one();
}

void UnwindBuilder::request(u32 key, Fd fd) {
  const FileIdentity file = identity_of(fd);
  bool waits = true;
  {
    const std::scoped_lock guard{lock_};
    waits = requests_.size() < kMaxWaiting;
    if (waits)
      requests_.push_back({key, std::move(fd), file});
    else
      done_.push_back({key, {.state = TableState::none}});
    if (!waits && key == kEarly) early_left_--;
  }
  if (waits) return wake_.notify_one();
  budget_->refuse(file_name_of(fd), "too many files wait for their tables");
  wake(done_event_);
}

void UnwindBuilder::request_early(std::vector<Fd> files) {
  {
    const std::scoped_lock guard{lock_};
    early_left_ += files.size();
  }
  for (Fd& file : files) request(kEarly, std::move(file));
}

void UnwindBuilder::wait_for_early(int milliseconds) {
  std::unique_lock guard{lock_};
  early_done_.wait_for(guard, std::chrono::milliseconds{milliseconds},
                       [&] { return early_left_ == 0; });
}

void UnwindBuilder::request_vdso(u32 key) {
  request(key, Fd{});
}

void UnwindBuilder::work() {
  drop_attach_privileges();  // it reads strangers' files and attaches nothing
  worker_.start();           // while the first segment is made
  memory_.prepare();
  while (true) {
    Request request{};
    {
      std::unique_lock guard{lock_};
      wake_.wait(guard, [&] { return ending_ || !requests_.empty(); });
      if (ending_) return;
      const auto next = std::ranges::min_element(
          requests_, {}, [](const Request& waiting) { return waiting.file.bytes; });
      request = std::move(*next);
      requests_.erase(next);
    }
    const FileIdentity file = request.file;
    BuiltTable built{request.key, {.state = TableState::no_room}};
    try {
      built = build(std::move(request));
    } catch (const std::bad_alloc&) {  // of this file only; the next may be smaller
    }
    built.file = file;
    {
      const std::scoped_lock guard{lock_};
      if (built.key == kEarly && --early_left_ == 0) early_done_.notify_all();
      done_.push_back(std::move(built));
      stats_.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + worker_.stats().cpu_ns;
      stats_.worker_ns = worker_.cpu_ns();
    }
    wake(done_event_);
  }
}

BuiltTable UnwindBuilder::build(Request request) {
  const u32 key = request.key;
  std::optional<FileTable> known;
  auto answer = worker_.table(
      request.fd, [&](const std::string& id) { return (known = known_table(id)).has_value(); },
      [this] { return stopping_.load() || memory_ran_out(); });
  if (!answer) return {key, {.state = TableState::none}};
  if (answer->kind == TableKind::known && known) {
    known->runtime = std::move(answer->runtime);
    return {key, *std::move(known), true};
  }
  const std::string id = answer->identity;
  BuiltTable out{key, store(*std::move(answer))};
  out.table.build_id = id;
  if (!id.empty() && out.table.state != TableState::no_room) {
    const std::scoped_lock guard{lock_};
    by_build_id_[id] = out.table;
  }
  return out;
}

std::optional<FileTable> UnwindBuilder::known_table(const std::string& identity) const {
  if (identity.empty()) return std::nullopt;
  const std::scoped_lock guard{lock_};
  const auto known = by_build_id_.find(identity);
  if (known == by_build_id_.end()) return std::nullopt;
  return known->second;
}

void UnwindBuilder::forget(const std::string& build_id) {
  const std::scoped_lock guard{lock_};
  by_build_id_.erase(build_id);
}

FileTable UnwindBuilder::store(TableAnswer answer) {
  FileTable out{.state = TableState::none, .code = std::move(answer.code)};
  out.runtime = std::move(answer.runtime);
  if (answer.kind == TableKind::by_pointer) out.state = TableState::by_pointer;
  if (answer.kind != TableKind::rows) return out;
  const UnwindTable& table = answer.table;
  out.words = UnwindMemory::words_of(table);
  const auto place = memory_.store(table);
  const std::scoped_lock guard{lock_};
  if (!place) {
    stats_.no_room++;
    out.state = TableState::no_room;
    return out;
  }
  stats_.tables++;
  stats_.rows += table.rows.size();
  out.state = TableState::ready;
  out.place = *place;
  out.base = table.base;
  out.limit = table.limit;
  return out;
}

std::vector<BuiltTable> UnwindBuilder::take_done() {
  u64 count = 0;
  [[maybe_unused]] const ssize_t got = ::read(done_event_.get(), &count, sizeof(count));
  const std::scoped_lock guard{lock_};
  return std::exchange(done_, {});
}

BuilderStats UnwindBuilder::stats() const {
  const std::scoped_lock guard{lock_};
  return stats_;
}

}  // namespace wick
