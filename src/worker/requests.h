// What Wick asks its worker, as bytes. Used by FileWorker and the worker's loop.
#pragma once

#include "base/byte_reader.h"
#include "base/wire.h"
#include "worker/name_work.h"
#include "worker/table_identity.h"

namespace wick {

struct RequestHeader {
  bool wary = false;   // refused files have cost the run enough: RunBudget::is_wary()
  bool crash = false;  // for tests: die while reading this file
};

void encode(WireWriter& out, const RequestHeader& header);
[[nodiscard]] RequestHeader decode_request_header(ByteReader& in);

void encode(WireWriter& out, const DigestSecret& secret);
[[nodiscard]] DigestSecret decode_table_request(ByteReader& in);

void encode(WireWriter& out, const NamesQuestion& question);
[[nodiscard]] NamesQuestion decode_names_request(ByteReader& in);

}  // namespace wick
