#include "worker/requests.h"

namespace wick {

void encode(WireWriter& out, const RequestHeader& header) {
  out.put<u8>(header.wary ? 1 : 0);
  out.put<u8>(header.crash ? 1 : 0);
}

RequestHeader decode_request_header(ByteReader& in) {
  const bool wary = in.byte() != 0;
  return {.wary = wary, .crash = in.byte() != 0};
}

void encode(WireWriter& out, const DigestSecret& secret) {
  for (const u64 word : secret.words) out.put(word);
}

DigestSecret decode_table_request(ByteReader& in) {
  DigestSecret secret;
  for (u64& word : secret.words) word = in.fixed<u64>();
  return secret;
}

}  // namespace wick
