// A flame graph in headless Chromium: node svg_browser.mjs PLAYWRIGHT FILE.svg SCENARIO
// Prints what does not hold and exits 1. The expectations fit the profiles of svg.sh.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [playwright, file, scenario] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(path.resolve(playwright, "index.mjs")));
const url = pathToFileURL(path.resolve(file)).href;
const problems = [];

const equal = (what, got, wanted) => {
  if (got !== wanted) problems.push(`${what}: ${JSON.stringify(got)} is not ${JSON.stringify(wanted)}`);
};
const matches = (what, got, pattern) => {
  if (!pattern.test(got)) problems.push(`${what}: ${JSON.stringify(got)} does not match ${pattern}`);
};

const home = fs.mkdtempSync(path.join(os.tmpdir(), "wick-chromium-"));
const context = await chromium.launchPersistentContext(home, {
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  headless: true,
  viewport: { width: 1000, height: 600 },
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const page = await context.newPage();
page.on("pageerror", error => problems.push("script error: " + error.message));
page.on("dialog", dialog => { problems.push("a dialog opened: " + dialog.message()); dialog.dismiss(); });
page.on("request", request => { if (!/^(file|data):/.test(request.url())) problems.push("asked for " + request.url()); });

const text = id => page.locator("#" + id).textContent();
const labels = () => page.locator("#frames text").allTextContents();
const hash = () => page.evaluate(() => decodeURIComponent(location.hash));
const shown = id => page.locator("#" + id).evaluate(e => e.style.display !== "none");
const open = async fragment => {
  await page.goto("about:blank");
  await page.goto(url + (fragment || ""));
};
// The middle of a frame by the text on it.
const frame = async name => {
  const box = await page.locator("#frames text", { hasText: name }).first().boundingBox();
  return [box.x + 4, box.y + box.height / 2];
};
const search = async pattern => {
  await page.keyboard.press("Control+f");
  await page.keyboard.type(pattern);
  await page.keyboard.press("Enter");
};

const scenarios = {
  async loads() {
    await open();
    matches("details", await text("details"), /^100 samples/);
    for (const name of ["all", "sh", "main", "work", "leaf_a", "leaf_b", "Sub"])
      equal(`label ${name}`, (await labels()).includes(name), true);
    for (const width of [1000, 400, 1600]) {
      await page.setViewportSize({ width, height: 600 });
      await page.waitForFunction(w => Math.abs(document.querySelector(".bg").getBoundingClientRect().width - w) < 20, width);
      const [title, input] = await Promise.all(["#title", "input"].map(s => page.locator(s).boundingBox()));
      if (title && title.x + title.width > input.x) problems.push(`at ${width} the title runs into the search field`);
    }
  },
  async opens_at_its_root() {
    await page.setViewportSize({ width: 800, height: 300 });
    await open();
    await page.waitForFunction(() => scrollY > 100);
    const [all, input] = await Promise.all(["#frames text >> text=all", "input"].map(s => page.locator(s).boundingBox()));
    equal("the root is in sight", all.y > 0 && all.y < 300, true);
    equal("and so is the search", input.y >= 0 && input.y < 60, true);
  },
  async searches() {
    await open();
    await search("leaf");
    equal("matched", await text("matched"), "Matched 60.00 % · 1/2");
    equal("matched frames", await page.locator("#frames path.m").count(), 1);
    await page.keyboard.press("n");
    matches("second match", await text("details"), /^leaf_b/);
    await page.keyboard.press("n");
    matches("round to the first", await text("details"), /^leaf_a/);
    await page.keyboard.press("N");
    matches("and back", await text("details"), /^leaf_b/);
    matches("link", await hash(), /search=leaf/);
    await page.keyboard.press("Escape");
    equal("after Esc", await text("matched"), "");
    await search("100|samples");  // the tooltip's words are no names
    equal("numbers do not match", await text("matched"), "Matched 0.00 %");
    await search("^sub$");
    equal("small letters match capital ones", await text("matched"), "Matched 40.00 % · 1/1");
    await search("^SUB$");
    equal("capital letters only themselves", await text("matched"), "Matched 0.00 %");
    await search("(");
    equal("no expression", await page.locator("input.bad").count(), 1);
  },
  async zooms_by_click() {
    await open();
    await page.mouse.click(...await frame("work"));
    equal("link", await hash(), "#zoom=sh;main;work");
    equal("reset is there", await shown("reset"), true);
    equal("Sub is gone", (await labels()).includes("Sub"), false);
    await page.mouse.move(...await frame("leaf_a"));
    matches("share of the view", await text("details"), /30 samples, 30.00 %, 50.00 % of the view/);
    await page.mouse.click(...await frame("main"));
    equal("an ancestor", await hash(), "#zoom=sh;main");
    await page.goBack();
    await page.waitForFunction(() => location.hash.endsWith("work"));
    equal("back", (await labels()).includes("Sub"), false);
    await page.locator("#reset").click();
    equal("reset", (await labels()).includes("Sub"), true);
    equal("reset is gone", await shown("reset"), false);
  },
  async zooms_by_link() {
    for (let i = 0; i < 2; i++) {
      if (i === 0) await open("#zoom=sh;main;work&search=leaf_a");
      else await page.reload();
      equal("matched", await text("matched"), "Matched 50.00 %");
      equal("zoomed", (await labels()).includes("Sub"), false);
      equal("field", await page.locator("input").evaluate(e => e.value), "leaf_a");
    }
    await open("#zoom=sh;main;gone;deeper");
    equal("as far as the path exists", (await labels()).includes("Sub"), true);
    await open("#zoom=%E0%A4%A&search=%");
    equal("a broken link", (await labels()).includes("Sub"), true);
    await open("#zoom=" + encodeURIComponent("</script><script>alert(1)</script>"));
    equal("a hostile link", (await labels()).includes("Sub"), true);
  },
  async answers_keys() {
    await open();
    await page.keyboard.press("ArrowUp");
    for (const [key, name] of [["ArrowUp", "sh"], ["ArrowUp", "main"], ["ArrowUp", "Sub"], ["ArrowRight", "work"],
      ["ArrowUp", "leaf_a"], ["ArrowDown", "work"]]) {
      await page.keyboard.press(key);
      matches(key, await text("details"), new RegExp("^" + name + " "));
    }
    await page.keyboard.press("Enter");
    equal("Enter zooms", await hash(), "#zoom=sh;main;work");
    await page.keyboard.press("0");
    equal("0 resets", await hash(), "");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.mouse.move(...await frame("leaf_a"));
    await page.keyboard.press("c");
    await page.waitForFunction(() => /^Copied/.test(document.getElementById("details").textContent));
    equal("clipboard", await page.evaluate(() => navigator.clipboard.readText()), "leaf_a");
    const top = async () => (await page.locator("#frames text", { hasText: /^all$/ }).boundingBox()).y;
    const before = await top();
    await page.keyboard.press("I");
    equal("I flips", await top() < before, true);
    matches("flip is in the link", await hash(), /flip=1/);
    await page.keyboard.press("i");
    equal("i flips back", await top(), before);
    await page.keyboard.press("?");
    matches("keys", await text("tip"), /next and previous match/);
    await page.keyboard.press("Escape");
    equal("Esc takes the keys away", await shown("tip"), false);
    await page.keyboard.press("Control+f");
    await page.keyboard.type("nN0ic?");
    equal("keys are letters in the field", await page.locator("input").evaluate(e => e.value), "nN0ic?");
  },
  async keeps_names_text() {
    await open();
    equal("nothing ran", await page.evaluate(() => typeof globalThis.x), "undefined");
    for (const name of ["<script>x=1</script>", "]]><b>", "\"'&amp", "שלום", "😀 emoji"])
      equal(`label ${name}`, (await labels()).includes(name), true);
    await page.mouse.move(...await frame("<script>"));
    matches("details", await text("details"), /^<script>x=1<\/script> — /);
    matches("tooltip", await text("tip"), /<script>x=1<\/script>/);
    await page.mouse.click(...await frame("😀"));
    matches("link", await hash(), /😀 emoji$/);
    await page.reload();
    equal("zoomed by link", (await labels()).includes("שלום"), false);
    // A name that overrides the direction of writing says so instead of doing it.
    await open();
    await page.mouse.move(...await frame("rlo"));
    matches("direction", await text("details"), /^rlo\ufffdabc — /);
  },
  async shows_a_difference() {
    await open();
    const found = name => page.locator("#frames text", { hasText: name }).count();
    equal("new is marked", await found("+ fresh"), 1);
    equal("vanished is there", await found("− gone"), 1);
    const stroke = look => page.locator("#frames path." + look).first().evaluate(e => getComputedStyle(e).stroke);
    const looks = await Promise.all(["dn", "dv", "dz", "dd"].map(stroke));
    equal("four colours", new Set(looks).size, 4);
    await page.mouse.move(...await frame("grown"));
    matches("grown", await text("tip"), /total 10 → 30 samples, \+200\.0 %self 10 → 30, \+200\.0 %share 16\.67 % → 37\.50 %/);
    await page.mouse.move(...await frame("gone"));
    matches("gone", await text("tip"), /total 30 → 0 samples, vanished/);
    await page.mouse.move(...await frame("main"));
    matches("parent", await text("tip"), /total 60 → 80 samples, \+33\.3 %self 0 → 0, unchanged/);
    await search("grown");
    matches("matched", await text("matched"), /^Matched 16\.67 % → 37\.50 %/);
  },
  async stands_without_script() {
    const html = `<body style="margin:0"><img id="p" src="${url}"></body>`;
    fs.writeFileSync(path.join(home, "page.html"), html);
    await page.goto(pathToFileURL(path.join(home, "page.html")).href);
    equal("size", await page.locator("img").evaluate(e => e.decode().then(() => e.naturalWidth)), 1200);
  },
};

try {
  await scenarios[scenario]();
} catch (error) {
  problems.push(String(error));
}
await context.close();
fs.rmSync(home, { recursive: true });
for (const problem of problems) console.log(problem);
process.exit(problems.length ? 1 : 0);
