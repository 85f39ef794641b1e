// A report in one file.
#include "formats/writers.h"

namespace wick {

Status write_html(const Profile& /*profile*/, const WriteOptions& /*options*/, Sink& /*sink*/) {
  return fail("html: not written yet");
}

}  // namespace wick
