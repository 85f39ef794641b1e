#include "kernel/trial.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <zlib.h>

#include <array>
#include <memory>

#include "base/text.h"

namespace wick::feature {
namespace {

constexpr std::array kReturnZero{
    bpf_insn{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
    bpf_insn{.code = BPF_JMP | BPF_EXIT},
};

std::string read_config_file(const std::string& path) {
  constexpr std::size_t kLimit = std::size_t{4} << 20U;
  // Reads plain files as they are, too.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rbe"), &::gzclose);
  if (!file) return {};
  std::string text;
  std::array<char, 16384> chunk{};
  int got = 0;
  while (text.size() < kLimit &&
         (got = ::gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()))) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::string read_config() {
  std::string text = read_config_file("/proc/config.gz");
  utsname names{};
  if (text.empty() && ::uname(&names) == 0) {
    text =
        read_config_file(fmt::format("/boot/config-{}", static_cast<const char*>(names.release)));
  }
  return text;
}

bool is_set(std::string_view config, std::string_view option) {
  while (!config.empty()) {
    std::string_view line = take_until(config, '\n');
    if (take_until(line, '=') == option) return line == "y" || line == "m";
  }
  return false;
}

}  // namespace

std::string unset_options_in(std::string_view config, const OptionNames& options) {
  std::string names;
  int count = 0;
  for (const std::string_view option : options) {
    if (is_set(config, option)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", option);
    ++count;
  }
  if (count == 0) return {};
  return fmt::format("{} {} not set", names, count == 1 ? "is" : "are");
}

std::string unset_options(const OptionNames& options) {
  static const std::string config = read_config();
  return config.empty() ? std::string{} : unset_options_in(config, options);
}

Result<Fd> load_nothing(ProgramKind kind) {
  bpf_prog_load_opts options{};
  options.sz = sizeof(options);
  options.expected_attach_type = static_cast<bpf_attach_type>(kind.attach_type);
  options.attach_btf_id = kind.attach_btf_id;
  const int fd = bpf_prog_load(kind.type, "wick_probe", "GPL", kReturnZero.data(),
                               kReturnZero.size(), &options);
  if (fd < 0) return fail_errno("load BPF program", -fd);
  return Fd{fd};
}

}  // namespace wick::feature
