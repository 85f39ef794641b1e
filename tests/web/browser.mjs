// Chromium for tests and measurements: headless, without a GPU, nothing kept and nothing fetched.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.WICK_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: [
      "--no-sandbox", // root has no other way
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
