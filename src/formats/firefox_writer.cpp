// The Firefox profiler's processed profile.
#include "formats/writers.h"

namespace wick {

Status write_firefox(const Profile& /*profile*/, const WriteOptions& /*options*/, Sink& /*sink*/) {
  return fail("firefox: not written yet");
}

}  // namespace wick
