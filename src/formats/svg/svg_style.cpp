#include "formats/svg/svg_assets.h"

namespace wick {
namespace {

constexpr std::string_view kStyle = R"css(
svg{background:#fff}
.bg{fill:#fff}
text{fill:#222;white-space:pre}
.title{font:600 17px system-ui,"Helvetica Neue",Arial,sans-serif}
.sub,.foot,.ui,#tip{font:12px system-ui,"Helvetica Neue",Arial,sans-serif}
.sub,.foot,.ui{fill:#666}
.warn{fill:#b00020}
.ui{cursor:pointer;fill:#0b57d0}
.ui:hover,.ui:focus{text-decoration:underline}
#frames path{fill:none}
#frames text{fill:#111;pointer-events:none}
#frames .past{opacity:.4}
#frames .r{stroke:#dcd8d0}
#frames .c{stroke:#cdc5b8}
#frames .m{stroke:#c86bfa}
#mark{fill:none;stroke:#111;stroke-width:1.5;pointer-events:none}
#tip{pointer-events:none}
#tip rect{fill:#fff;stroke:#b8b8b8}
#tip text{fill:#555}
#tip .name{fill:#111}
input{outline-offset:0;font:12px system-ui,sans-serif;width:100%;box-sizing:border-box;height:24px;padding:2px 8px;border:1px solid #bbb;border-radius:5px;background:#fff;color:#111}
input.bad{border-color:#b00020;background:#fee}
)css";

constexpr std::string_view kDarkStyle = R"css(
@media(prefers-color-scheme:dark){
svg{background:#1b1c20}
.bg{fill:#1b1c20}
text{fill:#e6e6e6}
.sub,.foot{fill:#a8a8b0}
.warn{fill:#ff8a80}
.ui{fill:#8ab4f8}
#frames path{opacity:.85}
#frames .past{opacity:.45}
#frames .r{stroke:#a5a29c}
#frames .c{stroke:#b3aca0}
#mark{stroke:#fff}
#tip rect{fill:#2a2b30;stroke:#666}
#tip text{fill:#bbb}
#tip .name{fill:#fff}
input{background:#2a2b30;color:#eee;border-color:#666}
input.bad{background:#522}
}
)css";

}  // namespace

std::string_view svg_style() {
  return kStyle;
}

std::string_view svg_dark_style() {
  return kDarkStyle;
}

}  // namespace wick
