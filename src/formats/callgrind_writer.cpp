// callgrind's text.
#include "formats/writers.h"

namespace wick {

Status write_callgrind(const Profile& /*profile*/, const WriteOptions& /*options*/,
                       Sink& /*sink*/) {
  return fail("callgrind: not written yet");
}

}  // namespace wick
