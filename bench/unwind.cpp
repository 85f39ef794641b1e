// Stacks without frame pointers: unwind WICK PROGRAM [rounds]. Wick by tables, and
// `perf record --call-graph dwarf,65528` with `perf script`, look at one running PROGRAM in turns.
// Prints CPU time and data of each, the ratios, and what --stats says of Wick's own walk.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "bench/measure.h"

namespace wick::bench {
namespace {

const std::string kSeconds = shorter("10", "1");

// "stats: BPF ran 3988 times, 5108 ns each, …" and "stats: 67,169 frames by tables, …"
double ns_per_frame(const std::string& path) {
  std::ifstream in{path};
  double all_ns = 0;
  double frames = 0;
  for (std::string line; std::getline(in, line);) {
    unsigned long runs = 0;
    unsigned long each = 0;
    if (std::sscanf(line.c_str(), "wick: stats: BPF ran %lu times, %lu ns", &runs, &each) == 2)
      all_ns = static_cast<double>(runs) * static_cast<double>(each);
    if (line.find(" frames by tables") == std::string::npos) continue;
    std::string number = line.substr(line.find(": ", 7) + 2);
    number.resize(number.find(' '));
    std::erase(number, ',');
    frames = std::strtod(number.c_str(), nullptr);
  }
  return frames == 0 ? 0 : all_ns / frames;
}

double megabytes(const std::string& path) {
  return static_cast<double>(std::filesystem::file_size(path)) / 1048576;
}

int measure(const std::string& wick, const std::string& program, int rounds) {
  const std::string folder = std::filesystem::temp_directory_path() / "wick-bench-unwind";
  std::filesystem::create_directories(folder);
  const auto file = [&](const char* name) { return folder + "/" + name; };
  std::vector<char*> words{const_cast<char*>(program.c_str()), const_cast<char*>("--seconds"),
                           const_cast<char*>("1000"), nullptr};
  pid_t target = -1;
  if (posix_spawn(&target, words[0], nullptr, nullptr, words.data(), environ) != 0) return 1;
  const std::string pid = std::to_string(target);
  Series wick_cpu, perf_cpu, cpu_ratio, wick_mb, perf_mb, frame_ns;
  const bool has_perf = is_installed("perf");
  for (int i = 0; i < rounds; i++) {
    const Cost ours = run({"sh", "-c", "exec \"$0\" \"$@\" 2>\"$SAID\"", wick, "profile", "-F",
                           "99", "-U", "-p", pid, "-o", file("wick.pb.gz"), kSeconds},
                          "/dev/null");
    run({"sh", "-c", "exec \"$0\" \"$@\" 2>\"$SAID\"", wick, "profile", "-F", "999", "-U", "-p",
         pid, "--stats", "-o", file("stats.pb.gz"), shorter("2", "1")},
        "/dev/null");
    wick_cpu.values.push_back(ours.cpu_s * 1e3);
    wick_mb.values.push_back(megabytes(file("wick.pb.gz")));
    frame_ns.values.push_back(ns_per_frame(file("said")));
    if (!has_perf) continue;
    const Cost record = run({"perf", "record", "-q", "--call-graph", "dwarf,65528", "-F", "99",
                             "-p", pid, "-o", file("perf.data"), "--", "sleep", kSeconds},
                            "/dev/null");
    const Cost script = run({"perf", "script", "-i", file("perf.data")}, file("perf.txt"));
    perf_cpu.values.push_back((record.cpu_s + script.cpu_s) * 1e3);
    cpu_ratio.values.push_back(ours.cpu_s / (record.cpu_s + script.cpu_s));
    perf_mb.values.push_back(megabytes(file("perf.data")));
  }
  ::kill(target, SIGTERM);
  ::waitpid(target, nullptr, 0);
  std::filesystem::remove_all(folder);
  fmt::print(
      "CPU ms for {} s at 99 Hz: Wick {}, perf record --call-graph dwarf,65528 + script {}; ratio "
      "{}\n",
      kSeconds, wick_cpu.text(0), perf_cpu.text(0), cpu_ratio.text(3));
  fmt::print("MB written: Wick {}, perf {}; ratio {:.5f}\n", wick_mb.text(3), perf_mb.text(1),
             wick_mb.median() / perf_mb.median());
  fmt::print("ns a frame at 999 Hz: {}\n", frame_ns.text(0));
  check_measured("ns a frame", frame_ns.median());
  return 0;
}

}  // namespace
}  // namespace wick::bench

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string said = std::filesystem::temp_directory_path() / "wick-bench-unwind/said";
  ::setenv("SAID", said.c_str(), 1);
  return wick::bench::measure(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 5);
}
