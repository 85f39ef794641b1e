// GzipSink: gzips what passes through it on the way to another Sink. finish() ends the stream.
#pragma once

#include <zlib.h>

#include <memory>
#include <vector>

#include "formats/sink.h"

namespace wick {

class GzipSink final : public Sink {
 public:
  explicit GzipSink(Sink& out);
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  GzipSink(GzipSink&&) = delete;
  GzipSink& operator=(GzipSink&&) = delete;
  ~GzipSink() override;

  [[nodiscard]] Status write(std::string_view data) override;
  [[nodiscard]] Status finish();

 private:
  [[nodiscard]] Status deflate_all(std::string_view data, int flush);

  Sink& out_;
  z_stream stream_{};
  bool ready_;
  std::vector<char> packed_;
};

}  // namespace wick
