// TerminalSession: a Session on the process's own standard streams and signals. There is one a
// process.
#pragma once

#include <unistd.h>

#include <string>

#include "cli/terminal_keys.h"
#include "formats/sink.h"
#include "tool/command/session.h"

namespace wick {

class TerminalSession final : public Session {
 public:
  TerminalSession(u64 started_ns, std::string command_line);
  TerminalSession(const TerminalSession&) = delete;
  TerminalSession& operator=(const TerminalSession&) = delete;
  ~TerminalSession() override;

  Sink& out() override { return out_; }
  Sink& err() override { return err_; }
  void note(std::string_view sentence) override;
  void progress(std::string_view text) override;
  [[nodiscard]] u32 columns() const override;
  [[nodiscard]] u32 rows() const override;
  void hear_keys() override { keys_.turn_on(); }
  void ignore_keys() override { keys_.turn_off(); }
  [[nodiscard]] int keys_fd() const override { return keys_.fd(); }
  [[nodiscard]] char next_key() override { return keys_.next(); }
  void request_stop() override;
  [[nodiscard]] int stop_requests() const override;
  [[nodiscard]] int stop_fd() const override;
  [[nodiscard]] u64 started_ns() const override { return started_ns_; }
  [[nodiscard]] std::string_view command_line() const override { return command_line_; }
  [[nodiscard]] std::string_view command_name() const override { return command_name_; }
  void set_command_name(std::string_view name) { command_name_ = name; }

 private:
  // Like FdSink, but Ctrl-C gets through while a slow reader keeps us waiting.
  class StdoutSink final : public Sink {
   public:
    explicit StdoutSink(const TerminalSession& session) : session_(session) {}
    Status write(std::string_view data) override;

   private:
    const TerminalSession& session_;
  };

  u64 started_ns_;
  std::string command_line_;
  std::string_view command_name_;
  StdoutSink out_{*this};
  FdSink err_{STDERR_FILENO};
  TerminalKeys keys_;
  bool terminal_;
  bool progress_shown_ = false;
  u64 last_progress_ns_ = 0;
};

}  // namespace wick
