// BrowserPage: opens an address in the person's browser, where there is a desktop to open it on.
// The address holds a secret, and what a program is started with is for every user to see in /proc.
// So the browser is given a page that leads there, in a folder that only its user may enter; the
// page is gone with this object. No shell is involved.
//
//   const auto opened = BrowserPage::open(server.url());      // none: tell the person the address
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace wick {

class BrowserPage {
 public:
  // Nothing when there is no desktop, or no xdg-open, or for root: a browser does not belong there.
  [[nodiscard]] static std::optional<BrowserPage> open(const std::string& url);
  // The page alone, below `parent`. For open() and tests.
  [[nodiscard]] static std::optional<BrowserPage> write(const std::string& url,
                                                        const std::string& parent);

  BrowserPage(BrowserPage&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  BrowserPage& operator=(BrowserPage&&) = delete;
  ~BrowserPage();

  [[nodiscard]] std::string path() const { return folder_ + "/wick.html"; }

 private:
  explicit BrowserPage(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;  // ours; empty when moved from
};

}  // namespace wick
