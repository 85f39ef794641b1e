// speedscope's JSON.
#include "formats/writers.h"

namespace wick {

Status write_speedscope(const Profile& /*profile*/, const WriteOptions& /*options*/,
                        Sink& /*sink*/) {
  return fail("speedscope: not written yet");
}

}  // namespace wick
