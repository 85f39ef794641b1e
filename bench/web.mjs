#!/usr/bin/env node
// How fast a report opens and moves, in headless Chromium without a GPU:
//   bench/web.mjs report.html...
// Opening is from the navigation's start to the first picture; zooming is 120 turns of the wheel. CPU time
// is that of the page's process and of the one that puts pixels on the screen: it holds on a busy machine,
// where frames a second do not.
import { pathToFileURL } from "node:url";
import { openBrowser } from "../tests/web/browser.mjs";

const browser = await openBrowser();
const devtools = await browser.newBrowserCDPSession();
const cpuSeconds = async () => {
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer" || type === "GPU").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
};
for (const file of process.argv.slice(2)) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => performance.getEntriesByName("drawn").length > 0, null, { timeout: 120_000 });
  const opened = await page.evaluate(() => performance.getEntriesByName("drawn")[0].startTime);
  const before = await cpuSeconds();
  const zoom = await page.evaluate(zooming);
  const perFrame = ((await cpuSeconds()) - before) * 1000 / 120;
  const search = await page.evaluate(searching);
  console.log(`${file}: opens in ${opened.toFixed(0)} ms; zooms at ${zoom.fps.toFixed(0)} frames a second ` +
    `(half of the frames within ${zoom.half.toFixed(1)} ms, 95 % within ${zoom.most.toFixed(1)} ms, ${perFrame.toFixed(1)} ms CPU each); ` +
    `searches in ${search.toFixed(0)} ms`);
  await page.close();
}
await browser.close();

async function zooming() {
  const canvas = document.querySelector("canvas");
  const frames = [];
  let last = await new Promise(requestAnimationFrame);
  const begin = last;
  for (let i = 0; i < 120; i++) {
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: i < 60 ? -60 : 60, clientX: 500, clientY: 300, cancelable: true }));
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  frames.sort((a, b) => a - b);
  return { fps: (120 * 1000) / (last - begin), half: frames[60], most: frames[114] };
}

async function searching() {
  const input = document.querySelector("#search");
  const begin = performance.now();
  input.value = "parse_00";
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  while (document.querySelector("#matched").textContent === "") await new Promise(requestAnimationFrame);
  return performance.now() - begin;
}
