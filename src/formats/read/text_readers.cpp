#include "formats/read/text_readers.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "formats/bpftrace/bpftrace_reader.h"
#include "formats/folded/folded_reader.h"
#include "formats/perf_script/perf_script_header.h"
#include "formats/perf_script/perf_script_reader.h"
#include "profile/merge.h"

namespace wick {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;  // leaves the cache to the tables
constexpr std::size_t kSearchBytes = std::size_t{1} << 20;  // for a record's beginning
constexpr std::chrono::milliseconds kProgressInterval{100};

struct Piece {
  u64 begin = 0;
  u64 end = 0;
};

// Shared by the threads of one file.
struct Work {
  int fd;
  std::atomic<u64> bytes_done{0};
  std::atomic<bool> stop{false};
};

Result<std::size_t> read_at(int fd, std::span<char> out, u64 offset) {
  while (true) {
    const ssize_t got = ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail_errno("read");
  }
}

bool begins_record(InputKind kind, std::string_view line) {
  if (kind == InputKind::folded) return true;
  return !line.starts_with('\t') && parse_timed_perf_header(line).has_value();
}

// The first record that begins behind `offset`; nothing when there is none near.
std::optional<u64> record_behind(int fd, InputKind kind, u64 offset) {
  std::string buffer(kSearchBytes, '\0');
  const auto got = read_at(fd, buffer, offset);
  if (!got) return std::nullopt;
  const std::string_view text{buffer.data(), *got};
  std::size_t at = text.find('\n');
  while (at != std::string_view::npos && at + 1 < text.size()) {
    const std::size_t begin = at + 1;
    at = text.find('\n', begin);
    if (at != std::string_view::npos && begins_record(kind, text.substr(begin, at - begin)))
      return offset + begin;
  }
  return std::nullopt;
}

std::vector<Piece> cut(int fd, u64 size, InputKind kind, unsigned count) {
  std::vector<Piece> pieces;
  u64 begin = 0;
  for (unsigned i = 1; i < count; i++) {
    const auto middle = record_behind(fd, kind, size / count * i);
    if (!middle || *middle <= begin) continue;
    pieces.push_back({begin, *middle});
    begin = *middle;
  }
  pieces.push_back({begin, size});
  return pieces;
}

template <class AfterBlock>
Result<Profile> read_piece(Work& work, LineReader& reader, Piece piece, AfterBlock after_block) {
  std::string buffer(kBlockBytes, '\0');
  for (u64 at = piece.begin; at < piece.end;) {
    const std::size_t wanted = std::min<u64>(buffer.size(), piece.end - at);
    const std::size_t got = TRY(read_at(work.fd, std::span(buffer).first(wanted), at));
    if (got == 0) break;
    TRY(reader.feed({buffer.data(), got}));
    at += got;
    work.bytes_done += got;
    after_block();
    if (work.stop) return fail("stopped");
  }
  return reader.finish();
}

Result<FileBeginning> look_at_beginning(InputKind kind, std::string_view head) {
  const auto reader = text_reader(kind, {});
  TRY(reader->feed(head.substr(0, head.rfind('\n') + 1)));
  const Profile profile = TRY(reader->finish());
  return FileBeginning{{profile.value_types().begin(), profile.value_types().end()},
                       profile.info.differential};
}

}  // namespace

bool is_text(InputKind kind) {
  return kind != InputKind::pprof && kind != InputKind::speedscope && kind != InputKind::wick_json;
}

std::unique_ptr<LineReader> text_reader(InputKind kind, const ReadOptions& options,
                                        const FileBeginning* beginning) {
  if (kind == InputKind::bpftrace) return std::make_unique<BpftraceReader>(ReadLimits{});
  if (kind == InputKind::perf_script) {
    PerfScriptReader::Options wanted{.moments = options.moments};
    if (beginning != nullptr) wanted.types = beginning->types;
    return std::make_unique<PerfScriptReader>(wanted);
  }
  if (beginning == nullptr) return std::make_unique<FoldedReader>();
  return std::make_unique<FoldedReader>(
      ReadLimits{}, FoldedReader::Shape{.differential = beginning->differential});
}

Result<std::optional<Profile>> read_in_pieces(const Fd& file, u64 size, std::string_view head,
                                              InputKind kind, const ReadOptions& options) {
  const unsigned threads =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const bool can_be_cut = kind == InputKind::folded || kind == InputKind::perf_script;
  if (size <= options.pieces_above || threads < 2 || !can_be_cut) return std::nullopt;
  const auto beginning = look_at_beginning(kind, head);
  if (!beginning) return std::nullopt;
  const std::vector<Piece> pieces = cut(file.get(), size, kind, threads);

  Work work{.fd = file.get()};
  std::vector<std::future<Result<Profile>>> others;
  for (std::size_t i = 1; i < pieces.size(); i++)
    others.push_back(std::async(std::launch::async, [&, piece = pieces[i]] {
      const auto reader = text_reader(kind, options, &*beginning);
      return read_piece(work, *reader, piece, [] {});
    }));
  const auto tell = [&] {
    if (options.progress) options.progress(work.bytes_done, size);
    if (options.stopped && options.stopped()) work.stop = true;
  };
  std::vector<Result<Profile>> parts;
  const auto reader = text_reader(kind, options);
  parts.push_back(read_piece(work, *reader, pieces[0], tell));
  for (auto& other : others) {
    while (other.wait_for(kProgressInterval) != std::future_status::ready) tell();
    parts.push_back(other.get());
  }
  if (work.stop) return fail("stopped");
  ProfileMerger merger;
  for (Result<Profile>& part : parts) {
    if (!part) return std::nullopt;
    TRY(merger.add(std::move(*part)));
  }
  Profile whole = std::move(merger).finish();
  TRY(check_limits(whole, ReadLimits{}));
  return std::optional(std::move(whole));
}

}  // namespace wick
