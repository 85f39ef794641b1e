#include "process/process_watch.h"

#include <fcntl.h>

#include <algorithm>

#include "base/file_limit.h"

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

CodeMapping to_code_mapping(CodeMaps& maps, const ProcMapping& mapping, u64 time_ns) {
  const FileId file = maps.files().add({.path = mapping.path,
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
    : ProcessWatch(std::make_unique<KernelProcesses>(cpus, prompt)) {}

ProcessWatch::ProcessWatch(std::unique_ptr<ProcessSource> source, ProcessBudget budget)
    : source_(std::move(source)),
      budget_(budget),
      maps_(budget.maps),
      open_(budget.descriptors != 0 ? budget.descriptors : open_file_limit()) {}

void ProcessWatch::drain_events() {
  batch_.clear();
  source_->drain(batch_);
  for (const MappingEvent& event : batch_) apply(event);
  if (maps_.wants_sweep()) sweep_files();
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
      if (tells_ended_) ended_.push_back(event.pid);
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
  const FileId id = maps_.files().add(file);
  // Somebody may have written to it since: then it is another program.
  if (!open_.has_changed(id)) return id;
  maps_.files().renew(id);
  return maps_.files().add(file);
}

void ProcessWatch::remember(u32 pid) {
  maps_.keep(pid, source_->now_ns());
  if (!read_snapshot(pid, source_->now_ns())) return;
  for (const CodeMapping& mapping : maps_.mappings(pid, source_->now_ns())) open_file(pid, mapping);
}

ImageId ProcessWatch::image(const ImageInfo& info, Sighting sighting) {
  const ImageId id = images_.add(info);
  ImageTable::Image& image = images_.get(id);
  // A sample inside its exec finds no mappings yet: what is seen running later is looked at again.
  if (sighting > image.met) {
    image.met = sighting;
    image.info.seen_ns = info.seen_ns;
    meet(info);
  }
  return id;
}

void ProcessWatch::meet(const ImageInfo& info) {
  maps_.keep(info.pid, info.seen_ns);
  if (maps_.wants_snapshot(info.pid, info.seen_ns) && !read_snapshot(info.pid, info.seen_ns))
    unread_processes_++;
  for (const CodeMapping& mapping : maps_.mappings(info.pid, info.seen_ns))
    open_file(info.pid, mapping);
}

bool ProcessWatch::read_snapshot(u32 pid, u64 time_ns) {
  const u64 began = maps_.life_began(pid, time_ns);
  const auto read = source_->maps(pid);
  if (!read || read->mappings.empty()) return false;
  // Did it exec, end or begin anew meanwhile? Then /proc told of somebody else.
  drain_events();
  if (maps_.life_began(pid, source_->now_ns()) != began) return false;
  std::vector<CodeMapping> mappings;
  mappings.reserve(read->mappings.size());
  for (const ProcMapping& mapping : read->mappings)
    mappings.push_back(to_code_mapping(maps_, mapping, began));
  maps_.add_snapshot(pid, time_ns, std::move(mappings));
  changed(pid);
  return true;
}

const OpenFile* ProcessWatch::open_file(u32 pid, const CodeMapping& mapping) {
  if (const OpenFile* open = open_.use(mapping.file, source_->now_ns())) return open;
  const ProcMapping wanted = to_proc_mapping(file(mapping.file), mapping);
  if (!wanted.of_file() || !open_.has_room()) return nullptr;
  auto opened = source_->open(pid, wanted);
  // A failure is not remembered: the next process with the same file may be luckier.
  if (!opened) return nullptr;
  return open_.add(mapping.file, *std::move(opened), source_->now_ns());
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
  const u64 now = source_->now_ns();
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
  tells_ended_ = true;
  return std::exchange(ended_, {});
}

std::optional<Fd> ProcessWatch::open_copy(u32 pid, const CodeMapping& mapping) {
  const OpenFile* open = open_file(pid, mapping);
  if (open == nullptr) return std::nullopt;
  const int copy = ::fcntl(open->fd.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return std::nullopt;
  return Fd{copy};
}

void ProcessWatch::touch(ImageId image, u64 address, u64 time_ns) {
  const u32 pid = info(image).pid;
  maps_.keep(pid, time_ns);
  const auto place = maps_.find(pid, address, time_ns);
  if (!place) return;
  if (is_jit_memory(file(place->file).path)) touch_jit(image, time_ns);
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
      mappings.push_back(to_proc_mapping(file(mapping.file), mapping));
    return mappings;
  });
}

std::optional<Place> ProcessWatch::find(ImageId image, u64 address, u64 time_ns) const {
  return maps_.find(info(image).pid, address, time_ns);
}

bool ProcessWatch::knows_code(ImageId image) const {
  return maps_.knows(info(image).pid, info(image).seen_ns);
}

// What is open and in use may be of a file that nobody has mapped any more.
void ProcessWatch::sweep_files() {
  maps_.sweep_files([&](FileId id) { return open_.was_used_since(id, horizon_ns_); });
  open_.keep_only([&](FileId id) { return maps_.files().contains(id); });
}

void ProcessWatch::forget_before(u64 time_ns) {
  horizon_ns_ = time_ns;
  images_.forget_before(time_ns, budget_.idle_images, [&](const ImageTable::Image& image) {
    return maps_.has_ended(image.info.pid, image.last_ns);
  });
  maps_.forget_before(time_ns);
  jit_.keep_only([&](ImageId id) { return images_.contains(id); });
  sweep_files();
  open_.forget_before(time_ns, budget_.idle_descriptors);
}

ProcessWatch::Usage ProcessWatch::usage() const {
  return {.processes = maps_.process_count(),
          .lives = maps_.life_count(),
          .map_bytes = maps_.bytes(),
          .images = images_.size(),
          .files = maps_.files().size(),
          .open_files = open_.size(),
          .jit_processes = jit_.size()};
}

}  // namespace wick
