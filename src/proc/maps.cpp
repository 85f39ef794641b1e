#include "proc/maps.h"

#include <unistd.h>

#include <memory>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::size_t kMaxMapLines = std::size_t{1} << 18;

template <class T>
bool take_hex(std::string_view& rest, char end, T& out) {
  const auto value = parse_number<T>(take_until(rest, end), 16);
  if (value) out = *value;
  return value.has_value();
}

bool parse_permissions(std::string_view text, ProcMapping& out) {
  if (text.size() != 4) return false;
  out.readable = text[0] == 'r';
  out.writable = text[1] == 'w';
  out.executable = text[2] == 'x';
  out.shared = text[3] == 's';
  return true;
}

// The kernel escapes newlines here, and nothing else: not even the backslash. A file that is really
// called "a\012b" is therefore misread; open_mapped_file then finds it by its inode.
void assign_unescaped(std::string_view text, std::string& out) {
  constexpr std::string_view kNewline = "\\012";
  out.clear();
  for (std::size_t at = text.find(kNewline); at != std::string_view::npos;
       at = text.find(kNewline)) {
    out.append(text.substr(0, at)).push_back('\n');
    text.remove_prefix(at + kNewline.size());
  }
  out.append(text);
}

void assign_path(std::string_view text, ProcMapping& out) {
  out.deleted = text.ends_with(kDeleted);
  if (out.deleted) text.remove_suffix(kDeleted.size());
  assign_unescaped(text, out.path);
}

// Keeps what is wanted within the limits.
class Collector {
 public:
  explicit Collector(MapsWanted wanted) : wanted_(wanted) {}

  void take_line(std::string_view line) {
    // A kernel may be told to let a process have millions.
    if (++lines_ > kMaxMapLines) {
      maps_.cut = true;
      return;
    }
    if (!parse_mapping(line, scratch_)) {
      ++maps_.malformed;
      return;
    }
    if (wanted_ == MapsWanted::executable && !scratch_.executable) return;
    if (maps_.mappings.size() == kMaxMappings ||
        scratch_.path.size() > kMaxMappingPathBytes - path_bytes_) {
      maps_.cut = true;
      return;
    }
    path_bytes_ += scratch_.path.size();
    maps_.mappings.push_back(scratch_);
  }
  void skip_line() { ++maps_.malformed; }
  [[nodiscard]] bool full() const { return maps_.cut; }
  ProcessMaps take() { return std::move(maps_); }

 private:
  MapsWanted wanted_;
  ProcMapping scratch_;
  std::size_t path_bytes_ = 0;
  std::size_t lines_ = 0;
  ProcessMaps maps_;
};

// Hands whole lines of `fd` to `collector`. A line longer than the buffer (a path has at most 4096
// bytes, each at most four characters here) is nobody's mapping, and skipped.
Status read_lines(const Fd& fd, Collector& collector) {
  constexpr std::size_t kBufferBytes = std::size_t{64} << 10U;
  const auto buffer = std::make_unique<char[]>(kBufferBytes);
  std::size_t used = 0;
  bool skipping = false;
  while (!collector.full()) {
    const ssize_t got = ::read(fd.get(), buffer.get() + used, kBufferBytes - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    std::string_view rest(buffer.get(), used);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (skipping) {
        collector.skip_line();
      } else {
        collector.take_line(rest.substr(0, end));
      }
      skipping = false;
      rest.remove_prefix(end + 1);
    }
    if (rest.size() == kBufferBytes) skipping = true;
    if (skipping) rest = {};
    used = rest.copy(buffer.get(), rest.size());
  }
  if (skipping) collector.skip_line();
  if (used > 0 && !collector.full()) collector.take_line({buffer.get(), used});
  return {};
}

}  // namespace

bool parse_mapping(std::string_view line, ProcMapping& out) {
  std::string_view rest = line;
  if (!take_hex(rest, '-', out.start) || !take_hex(rest, ' ', out.end)) return false;
  if (out.start >= out.end) return false;
  if (!parse_permissions(take_until(rest, ' '), out)) return false;
  if (!take_hex(rest, ' ', out.file_offset)) return false;
  if (!take_hex(rest, ':', out.dev_major) || !take_hex(rest, ' ', out.dev_minor)) return false;
  const auto inode = parse_number<u64>(take_until(rest, ' '));
  if (!inode) return false;
  out.inode = *inode;
  // Spaces fill the column before the path. A path of ours starts with '/', '[' or a letter, so
  // none of its own spaces are lost.
  const std::size_t path = rest.find_first_not_of(' ');
  assign_path(path == std::string_view::npos ? std::string_view{} : rest.substr(path), out);
  return true;
}

u64 parse_maps(std::string_view text, const std::function<void(const ProcMapping&)>& on_mapping) {
  ProcMapping mapping;
  u64 malformed = 0;
  while (!text.empty()) {
    if (parse_mapping(take_until(text, '\n'), mapping)) {
      on_mapping(mapping);
    } else {
      ++malformed;
    }
  }
  return malformed;
}

Result<ProcessMaps> read_maps_from(const Fd& fd, MapsWanted wanted) {
  Collector collector(wanted);
  TRY(read_lines(fd, collector));
  return collector.take();
}

Result<ProcessMaps> read_maps(u32 pid, MapsWanted wanted) {
  const std::string path = "/proc/" + std::to_string(pid) + "/maps";
  const Fd fd = TRY(Fd::open(path));
  return TRY_CTX(read_maps_from(fd, wanted), path);
}

}  // namespace wick
