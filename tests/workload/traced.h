// let_a_child_wait_until_traced(): for workloads whose every deed is to be counted. A delay is a
// guess; this waits until a wick that was given our PID has its BPF programs attached, or its
// counters. That takes reading files, which would count: so a child does it.
#pragma once

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace workload {

// Small files of /proc; empty when it cannot be read.
inline std::string proc_text(const std::string& path) {
  std::string text(4096, '\0');
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return {};
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

template <class F>
void for_each_number_in(const std::string& folder, F&& each) {
  DIR* entries = ::opendir(folder.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries))
    if (std::isdigit(static_cast<unsigned char>(*entry->d_name)) != 0)
      each(folder + "/" + std::string(entry->d_name));
  ::closedir(entries);
}

// "wick\0biosnoop\0-p\0123\0"
inline bool traces(const std::string& process, pid_t pid) {
  const std::string arguments = proc_text(process + "/cmdline");
  const std::string_view first = arguments.c_str();
  const std::string us = std::string(1, '\0') + std::to_string(pid) + std::string(1, '\0');
  return first.substr(first.rfind('/') + 1) == "wick" && arguments.find(us) != std::string::npos;
}

// "7 0x7ffd…": it waits, by poll(2) or ppoll(2). The first time it does, all is attached.
inline bool waits(const std::string& process) {
  const std::string call = proc_text(process + "/syscall");
  return call.starts_with("7 ") || call.starts_with("271 ");
}

// It holds a link of BPF, or a counter.
inline bool has_hooks(const std::string& process) {
  bool found = false;
  for_each_number_in(process + "/fdinfo", [&](const std::string& fd) {
    found = found || proc_text(fd).find("link_type:") != std::string::npos;
  });
  for_each_number_in(process + "/fd", [&](const std::string& fd) {
    char target[64] = {};
    found = found || (::readlink(fd.c_str(), target, sizeof(target) - 1) > 0 &&
                      std::string_view(target) == "anon_inode:[perf_event]");
  });
  return found;
}

// Of a process ("/proc/123"): all it counts by is attached.
inline bool is_tracing(const std::string& process) {
  return has_hooks(process) && waits(process);
}

template <class F>
void wait_until(F&& holds) {
  for (int looks = 0; looks < 1500 && !holds(); looks++) ::usleep(20'000);
}

inline void let_a_child_wait_until_traced(int by_how_many = 1) {
  const pid_t us = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    wait_until([&] {
      int tracing = 0;
      for_each_number_in("/proc", [&](const std::string& process) {
        if (traces(process, us) && is_tracing(process)) ++tracing;
      });
      return tracing >= by_how_many;
    });
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

}  // namespace workload
