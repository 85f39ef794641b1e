// wait_until_traced(): for workloads whose every deed is to be counted. A delay is a guess; this
// waits until a wick that was given our PID has its BPF programs attached.
#pragma once

#include <dirent.h>
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
inline bool traces_us(const std::string& process) {
  const std::string arguments = proc_text(process + "/cmdline");
  const std::string_view first = arguments.c_str();
  const std::string us = std::string(1, '\0') + std::to_string(::getpid()) + std::string(1, '\0');
  return first.substr(first.rfind('/') + 1) == "wick" && arguments.find(us) != std::string::npos;
}

inline int links_of_tracers() {
  int links = 0;
  for_each_number_in("/proc", [&](const std::string& process) {
    if (!traces_us(process)) return;
    for_each_number_in(process + "/fdinfo", [&](const std::string& fd) {
      if (proc_text(fd).find("link_type:") != std::string::npos) links++;
    });
  });
  return links;
}

// Attaching one program takes less than the pause: when none was added, they are all there.
inline void wait_until_traced() {
  int before = 0;
  for (int looks = 0; looks < 600; looks++) {
    const int now = links_of_tracers();
    if (now > 0 && now == before) return;
    before = now;
    ::usleep(50'000);
  }
}

}  // namespace workload
