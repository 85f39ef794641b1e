#include "process/process_watch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/clock.h"
#include "base/file_limit.h"
#include "proc/mapped_file.h"
#include "proc/maps.h"

namespace wick {
namespace {

// Descriptors kept free for everything else: rings, maps, output.
constexpr std::size_t kSpareDescriptors = 128;
// A child that has not exec'ed by then lives on as its parent's copy.
constexpr u64 kForkSettlesNs = 100'000'000;

std::size_t open_file_limit() {
  const std::size_t limit = raise_file_limit();
  return limit > kSpareDescriptors ? limit - kSpareDescriptors : 0;
}

struct FileStamp {
  u64 bytes = 0;
  u64 changed_ns = 0;
};

FileStamp stamp_of(const Fd& fd) {
  struct stat file{};
  if (::fstat(fd.get(), &file) != 0) return {};
  return {.bytes = static_cast<u64>(file.st_size),
          .changed_ns = static_cast<u64>(file.st_mtim.tv_sec) * kNanosPerSecond +
                        static_cast<u64>(file.st_mtim.tv_nsec)};
}

CodeMapping to_code_mapping(CodeMaps& maps, const ProcMapping& mapping, u64 time_ns) {
  const FileId file = maps.add_file({.path = mapping.path,
                                     .dev_major = mapping.dev_major,
                                     .dev_minor = mapping.dev_minor,
                                     .inode = mapping.inode});
  return {.start = mapping.start,
          .end = mapping.end,
          .file_offset = mapping.file_offset,
          .file = file,
          .time_ns = time_ns};
}

ProcMapping to_proc_mapping(const CodeFile& file, const CodeMapping& mapping) {
  return {.start = mapping.start,
          .end = mapping.end,
          .file_offset = mapping.file_offset,
          .dev_major = file.dev_major,
          .dev_minor = file.dev_minor,
          .inode = file.inode,
          .path = file.path};
}

}  // namespace

ProcessWatch::ProcessWatch(std::span<const u32> cpus, bool prompt)
    : open_limit_(open_file_limit()) {
  if (auto events = MappingEvents::open(cpus, prompt)) events_ = std::move(*events);
}

std::vector<int> ProcessWatch::poll_fds() const {
  return events_ ? events_->poll_fds() : std::vector<int>{};
}

void ProcessWatch::drain_events() {
  if (!events_) return;
  batch_.clear();
  events_->drain(batch_);
  for (const MappingEvent& event : batch_) apply(event);
}

void ProcessWatch::apply(const MappingEvent& event) {
  switch (event.kind) {
    case MappingEvent::Kind::fork:
      maps_.on_fork(event.pid, event.parent, event.time_ns);
      if (followed_.contains(event.parent)) followed_.insert(event.pid);
      forked_[event.pid] = event.time_ns;
      break;
    case MappingEvent::Kind::exec:
      maps_.on_exec(event.pid, event.time_ns);
      forked_.erase(event.pid);
      changed(event.pid);
      break;
    case MappingEvent::Kind::exit:
      maps_.on_exit(event.pid, event.time_ns);
      followed_.erase(event.pid);
      forked_.erase(event.pid);
      ended_.push_back(event.pid);
      changed_.erase(event.pid);  // nobody needs its list any more
      break;
    case MappingEvent::Kind::map:
      const FileId file = mapped_file(event);
      if (file != FileId{}) changed(event.pid);
      maps_.on_map(event.pid, {.start = event.start,
                               .end = event.end,
                               .file_offset = event.file_offset,
                               .file = file,
                               .time_ns = event.time_ns});
      break;
  }
}

FileId ProcessWatch::mapped_file(const MappingEvent& event) {
  // "//anon" is the kernel's word for memory without a file.
  const CodeFile file{.path = event.path == "//anon" ? "" : event.path,
                      .dev_major = event.dev_major,
                      .dev_minor = event.dev_minor,
                      .inode = event.inode,
                      .generation = event.generation};
  const FileId id = maps_.add_file(file);
  if (id.index() >= open_files_.size()) return id;
  const OpenFile& open = open_files_[id.index()];
  if (open.state != OpenFile::State::open) return id;
  // Somebody may have written to it since: then it is another program.
  const FileStamp now = stamp_of(open.fd);
  if (now.bytes == open.bytes && now.changed_ns == open.changed_ns) return id;
  maps_.renew_file(id);
  return maps_.add_file(file);
}

void ProcessWatch::remember(u32 pid) {
  maps_.keep(pid);
  if (!read_snapshot(pid, monotonic_ns())) return;
  for (const CodeMapping& mapping : maps_.mappings(pid, monotonic_ns())) open_file(pid, mapping);
}

ImageId ProcessWatch::image(const ImageInfo& info, Sighting sighting) {
  const auto [at, is_new] = image_ids_.try_emplace(info, ImageId{images_.size()});
  const std::size_t index = at->second.index();
  if (is_new) {
    images_.push_back(info);
    met_.push_back(Sighting::no_code);
  }
  // A sample inside its exec finds no mappings yet: what is seen running later is looked at again.
  if (sighting > met_[index]) {
    met_[index] = sighting;
    images_[index].seen_ns = info.seen_ns;
    meet(info);
  }
  return at->second;
}

void ProcessWatch::meet(const ImageInfo& info) {
  maps_.keep(info.pid);
  if (maps_.wants_snapshot(info.pid, info.seen_ns) && !read_snapshot(info.pid, info.seen_ns))
    unread_processes_++;
  for (const CodeMapping& mapping : maps_.mappings(info.pid, info.seen_ns))
    open_file(info.pid, mapping);
}

bool ProcessWatch::read_snapshot(u32 pid, u64 time_ns) {
  const u64 began = maps_.life_began(pid, time_ns);
  const auto read = read_maps(pid, MapsWanted::executable);
  if (!read || read->mappings.empty()) return false;
  // Did it exec, end or begin anew meanwhile? Then /proc told of somebody else.
  drain_events();
  if (maps_.life_began(pid, monotonic_ns()) != began) return false;
  std::vector<CodeMapping> mappings;
  mappings.reserve(read->mappings.size());
  for (const ProcMapping& mapping : read->mappings)
    mappings.push_back(to_code_mapping(maps_, mapping, began));
  maps_.add_snapshot(pid, time_ns, std::move(mappings));
  changed(pid);
  return true;
}

void ProcessWatch::open_file(u32 pid, const CodeMapping& mapping) {
  open_files_.resize(maps_.file_count());
  OpenFile& open = open_files_[mapping.file.index()];
  if (open.state != OpenFile::State::unknown || open_count_ >= open_limit_) return;
  const CodeFile& file = maps_.file(mapping.file);
  const ProcMapping wanted = to_proc_mapping(file, mapping);
  if (!wanted.of_file()) return;
  auto opened = open_mapped_file(pid, wanted);
  // A failure is not remembered: the next process with the same file may be luckier.
  if (!opened) return;
  const FileStamp stamp = stamp_of(opened->fd);
  open = {.state = OpenFile::State::open,
          .fd = std::move(opened->fd),
          .bytes = stamp.bytes,
          .changed_ns = stamp.changed_ns,
          .root = std::move(opened->root)};
  open_count_++;
}

void ProcessWatch::follow_only(std::span<const u32> pids) {
  follows_all_ = false;
  followed_.insert(pids.begin(), pids.end());
}

void ProcessWatch::changed(u32 pid) {
  if (follows_all_ || followed_.contains(pid)) changed_.insert(pid);
}

std::vector<u32> ProcessWatch::take_changed() {
  // Most children exec at once, and have their parent's list until then. To tell of them earlier
  // would be to put the old program's list over the new one's.
  const u64 now = monotonic_ns();
  std::erase_if(forked_, [&](const auto& child) {
    if (child.second + kForkSettlesNs > now) return false;
    changed(child.first);
    return true;
  });
  std::vector<u32> out(changed_.begin(), changed_.end());
  changed_.clear();
  return out;
}

std::vector<u32> ProcessWatch::take_ended() {
  return std::exchange(ended_, {});
}

std::optional<Fd> ProcessWatch::open_copy(u32 pid, const CodeMapping& mapping) {
  open_file(pid, mapping);
  const OpenFile& open = open_files_[mapping.file.index()];
  if (open.state != OpenFile::State::open) return std::nullopt;
  const int copy = ::fcntl(open.fd.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return std::nullopt;
  return Fd{copy};
}

void ProcessWatch::touch(ImageId image, u64 address, u64 time_ns) {
  const u32 pid = info(image).pid;
  const auto place = maps_.find(pid, address, time_ns);
  if (!place) return;
  if (is_jit_memory(maps_.file(place->file).path)) touch_jit(image, time_ns);
  if (place->file == FileId{}) return;
  open_file(pid, {.start = place->map_start,
                  .end = place->map_end,
                  .file_offset = place->map_offset,
                  .file = place->file,
                  .time_ns = time_ns});
}

void ProcessWatch::touch_jit(ImageId image, u64 time_ns) {
  const ImageInfo& process = info(image);
  jit_.touch(image, {.pid = process.pid, .start_ns = process.start_ns, .time_ns = time_ns}, [&] {
    std::vector<ProcMapping> mappings;
    for (const CodeMapping& mapping : maps_.current(process.pid))
      mappings.push_back(to_proc_mapping(maps_.file(mapping.file), mapping));
    return mappings;
  });
}

std::optional<Place> ProcessWatch::find(ImageId image, u64 address, u64 time_ns) const {
  return maps_.find(info(image).pid, address, time_ns);
}

bool ProcessWatch::knows_code(ImageId image) const {
  return maps_.knows(info(image).pid, info(image).seen_ns);
}

OpenFile ProcessWatch::take_file(FileId id) {
  if (id.index() >= open_files_.size()) return {};
  return std::move(open_files_[id.index()]);
}

}  // namespace wick
