#include "formats/read/read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "formats/json/wick_json_reader.h"
#include "formats/pprof/pprof_reader.h"
#include "formats/read/text_readers.h"
#include "formats/read_stream.h"
#include "formats/speedscope/speedscope_reader.h"

namespace wick {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
constexpr std::size_t kMessageBlockBytes = std::size_t{4} << 20;
constexpr u64 kInflatedLimit = u64{16} << 30;

// A file or its bytes, with what is known of it before it is read.
struct Input {
  std::unique_ptr<ReadStream> stream;
  u64 size = 0;         // 0: not known
  bool packed = false;  // `size` is the packed one
  const Fd* regular = nullptr;
};

Status tell(const ReadOptions& options, const Input& input) {
  if (options.progress) options.progress(input.stream->position(), input.size);
  if (options.stopped && options.stopped()) return fail("stopped");
  return {};
}

Result<Profile> read_text(Input& input, std::string_view head, InputKind kind,
                          const ReadOptions& options) {
  if (input.regular != nullptr) {
    auto whole = TRY(read_in_pieces(*input.regular, input.size, head, kind, options));
    if (whole) return std::move(*whole);
  }
  const auto reader = text_reader(kind, options);
  TRY(reader->feed(head));
  if (head.size() < kHeadBytes) return reader->finish();  // that was all
  std::string buffer(kReadAtOnce, '\0');
  while (const std::size_t got = TRY(input.stream->read(buffer))) {
    TRY(reader->feed({buffer.data(), got}));
    TRY(tell(options, input));
  }
  return reader->finish();
}

// Formats whose parts refer to one another in any order are read whole.
Result<Profile> read_message(Input& input, std::string message, InputKind kind,
                             const ReadOptions& options) {
  const ReadLimits limits;
  const auto too_large = [&](u64 size) { return size > limits.message_bytes; };
  const std::string problem = fmt::format("more than {} bytes, the most Wick reads of this kind",
                                          with_commas(limits.message_bytes));
  if (!input.packed && too_large(input.size)) return fail(problem);
  if (!input.packed) message.reserve(input.size);
  while (message.size() >= kHeadBytes) {
    const std::string more = TRY(read_up_to(*input.stream, kMessageBlockBytes));
    message += more;
    if (too_large(message.size())) return fail(problem);
    TRY(tell(options, input));
    if (more.empty()) break;
  }
  if (kind == InputKind::pprof) return read_pprof(message, limits);
  if (kind == InputKind::speedscope) return read_speedscope(message, limits);
  return read_wick_json(message, {.limits = limits, .moments = options.moments});
}

Result<Profile> read_input(Input input, const ReadOptions& options) {
  std::string head = TRY(read_up_to(*input.stream, kHeadBytes));
  if (is_gzip(head)) {
    input.regular = nullptr;
    input.packed = true;
    input.stream = inflated(with_head(std::move(head), std::move(input.stream)), kInflatedLimit);
    head = TRY(read_up_to(*input.stream, kHeadBytes));
  }
  if (head.empty()) return fail("empty");
  const auto kind = options.kind ? options.kind : recognise(head);
  if (!kind) return fail("not a profile Wick knows", "--from KIND tells what it is");
  Profile profile = is_text(*kind) ? TRY(read_text(input, head, *kind, options))
                                   : TRY(read_message(input, std::move(head), *kind, options));
  if (profile.samples().empty()) return fail("no stacks in it");
  return profile;
}

Result<Input> input_of(const Fd& file) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return fail_errno("stat");
  if (S_ISDIR(info.st_mode)) return fail("is a folder");
  Fd second{::fcntl(file.get(), F_DUPFD_CLOEXEC, 0)};
  if (!second.valid()) return fail_errno("open");
  Input input{.stream = file_stream(std::move(second))};
  if (!S_ISREG(info.st_mode)) return input;
  input.size = static_cast<u64>(info.st_size);
  // Standard input may have been read from already.
  if (::lseek(file.get(), 0, SEEK_CUR) == 0) input.regular = &file;
  return input;
}

}  // namespace

Result<InputKind> input_named(std::string_view name) {
  std::string known;
  for (const InputName& entry : kInputNames) {
    if (entry.name == name) return entry.kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  }
  return fail_usage(fmt::format("no kind of file is called \"{}\"", printable(name)),
                    fmt::format("Wick reads {}", known));
}

Result<Profile> read_profile(const std::string& path, const ReadOptions& options) {
  const std::string name = path == "-" ? "standard input" : printable(path);
  const Fd file = path == "-" ? Fd{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)} : TRY(Fd::open(path));
  if (!file.valid()) return fail_errno(name);
  Input input = TRY_CTX(input_of(file), name);
  return TRY_CTX(read_input(std::move(input), options), name);
}

Result<Profile> read_profile_bytes(std::string_view bytes, std::string_view name,
                                   const ReadOptions& options) {
  Input input{.stream = memory_stream(bytes), .size = bytes.size()};
  return TRY_CTX(read_input(std::move(input), options), printable(name));
}

}  // namespace wick
