// wait_until_traced(): for workloads whose every deed is to be counted. A delay is a guess; this
// waits until a wick that was given our PID has its BPF programs attached. It reads files: where
// that would count, a child waits in our place.
#pragma once

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
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

inline bool has_links(const std::string& process) {
  bool found = false;
  for_each_number_in(process + "/fdinfo", [&](const std::string& fd) {
    found = found || proc_text(fd).find("link_type:") != std::string::npos;
  });
  return found;
}

// Of a process ("/proc/123"): its programs are attached.
inline bool is_tracing(const std::string& process) {
  return has_links(process) && waits(process);
}

template <class F>
void wait_until(F&& holds) {
  for (int looks = 0; looks < 1500 && !holds(); looks++) ::usleep(20'000);
}

inline void wait_until_traced(pid_t pid = ::getpid()) {
  wait_until([&] {
    bool traced = false;
    for_each_number_in("/proc", [&](const std::string& process) {
      traced = traced || (traces(process, pid) && is_tracing(process));
    });
    return traced;
  });
}

inline void let_a_child_wait_until_traced() {
  const pid_t us = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    wait_until_traced(us);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

}  // namespace workload
