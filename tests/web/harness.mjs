// A few words for tests of the report: `test("name", page => …)` and what a person does to a page. Results
// are printed as tests/native/lib.bash prints them.
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { openBrowser } from "./browser.mjs";

const tests = [];
export const test = (name, file, run, options = {}) => tests.push({ name, file, run, options });

export function check(condition, said) {
  if (!condition) throw new Error(said);
}
export function equal(actual, wanted, what = "value") {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(wanted)];
  check(a === b, `${what}: ${a} is not ${b}`);
}
export function contains(text, part) {
  check(String(text).includes(part), `${JSON.stringify(text)} does not hold ${JSON.stringify(part)}`);
}

// Waits for what must become true, and says what was there instead.
export async function eventually(page, read, wanted) {
  let last;
  for (let i = 0; i < 100; i++) {
    last = await read();
    if (typeof wanted === "function" ? wanted(last) : last === wanted) return last;
    await page.waitForTimeout(30);
  }
  throw new Error(`${JSON.stringify(last)} after 3 s, wanted ${wanted}`);
}

export const rowHeight = 18;
export const spoken = (page) => page.locator("#live").textContent();
export const fragment = (page) => page.evaluate(() => decodeURIComponent(location.hash));

// A frame by its depth from the root and its place from left (0) to right (1).
export async function frameAt(page, depth, share, inverted = false) {
  const box = await page.locator(".canvas-box canvas").first().boundingBox();
  const y = inverted ? depth * rowHeight + 9 : box.height - depth * rowHeight - 9;
  return { x: box.x + box.width * share, y: box.y + y };
}
export async function clickFrame(page, depth, share, inverted = false) {
  const { x, y } = await frameAt(page, depth, share, inverted);
  await page.mouse.click(x, y);
}
export const pixel = (page, x, y) =>
  page.evaluate(([px, py]) => {
    const canvas = document.querySelector(".canvas-box canvas");
    const box = canvas.getBoundingClientRect();
    const scale = canvas.width / box.width;
    return [...canvas.getContext("2d").getImageData((px - box.x) * scale, (py - box.y) * scale, 1, 1).data].join(",");
  }, [x, y]);

async function runOne(browser, folder, { name, file, run, options }) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, colorScheme: options.dark ? "dark" : "light", acceptDownloads: true });
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error in the page: ${error.message}`));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => (problems.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("request", (request) => !/^(file|data|blob):|^http:\/\/127\.0\.0\.1:/.test(request.url()) && problems.push(`asks for ${request.url()}`));
  try {
    const url = file.startsWith("http") ? file : pathToFileURL(join(folder, file)).href;
    await page.goto(url + (options.fragment ?? ""));
    await page.waitForSelector("footer");
    await run(page);
    check(problems.length === 0, problems.join("\n"));
    console.log(`ok report: ${name}`);
  } catch (error) {
    console.log(`FAILED report: ${name}`);
    console.log(`${error.message}`.split("\n").concat(problems).map((line) => `    ${line}`).join("\n"));
    process.exitCode = 1;
  }
  await context.close();
}

export async function runAll(folder, only) {
  const browser = await openBrowser();
  for (const one of tests) if (!only || one.name.includes(only)) await runOne(browser, folder, one);
  await browser.close();
}
