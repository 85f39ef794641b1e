// The report in Chromium: node report.mjs FOLDER [PART OF A NAME]. The folder holds what tests/native/web.sh
// makes: plain.html, times.html, diff.html, kinds.html, labels.html, hostile.html, and served.url.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, clickFrame, contains, equal, eventually, fragment, frameAt, pixel, runAll, spoken, test } from "./harness.mjs";

const folder = process.argv[2];
const matched = (page) => page.locator("#matched").textContent();
const search = (page, text) => page.locator("#search").fill(text);
const names = (page) => page.locator(".table-view td.name bdi").allTextContents();

// plain: ls;main;sort 20 | sh;main;parse 30 | sh;main;parse;read_[k] 10 | sh;main;run;run;leaf 40
test("opens with the whole profile", "plain.html", async (page) => {
  equal(await page.title(), "Profile");
  contains(await page.locator("footer").textContent(), "100");
  const { x, y } = await frameAt(page, 0, 0.5);
  check((await pixel(page, x, y)) !== "255,255,255,255", "the root is not drawn");
});

test("search tells the matched share, once per stack", "plain.html", async (page) => {
  await search(page, "run|leaf");
  await eventually(page, () => matched(page), "40.0 %");
  await search(page, "^(parse|read)$");
  await eventually(page, () => matched(page), "40.0 %");
  await search(page, "nowhere");
  await eventually(page, () => matched(page), "no match");
  await search(page, "(");
  await eventually(page, () => matched(page), "not a regular expression");
});

test("n and N go from match to match, and round", "plain.html", async (page) => {
  await search(page, "sort|read");
  await eventually(page, () => matched(page), "30.0 %");
  await page.locator("#search").press("Enter");
  await eventually(page, () => spoken(page), (text) => text.startsWith("sort,"));
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("n");
  await eventually(page, () => spoken(page), (text) => text.startsWith("read, kernel"));
  await page.keyboard.press("n");
  await eventually(page, () => spoken(page), (text) => text.startsWith("sort,"));
  await page.keyboard.press("N");
  await eventually(page, () => spoken(page), (text) => text.startsWith("read,"));
});

test("a click zooms, Escape zooms out", "plain.html", async (page) => {
  await clickFrame(page, 1, 0.6); // sh
  await eventually(page, () => fragment(page), "#zoom=sh");
  contains(await page.locator(".path").textContent(), "80.0 % of all");
  await page.waitForTimeout(300);
  await clickFrame(page, 3, 0.02); // parse, now where sort was
  await eventually(page, () => fragment(page), "#zoom=sh&zoom=main&zoom=parse");
  await page.keyboard.press("Backspace");
  await eventually(page, () => fragment(page), "#zoom=sh&zoom=main");
  await page.keyboard.press("Escape");
  await eventually(page, () => fragment(page), "");
});

test("the wheel zooms and dragging moves", "plain.html", async (page) => {
  const at = await frameAt(page, 1, 0.1); // ls
  const before = await pixel(page, at.x, at.y + 7);
  const deep = await frameAt(page, 5, 0.1);
  equal(await pixel(page, deep.x, deep.y), "255,255,255,255", "nothing above ls");
  const over = await frameAt(page, 5, 0.9); // leaf is at the right end
  await page.mouse.move(over.x, over.y);
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -200);
  await eventually(page, () => pixel(page, deep.x, deep.y), (colour) => colour !== "255,255,255,255");
  const from = await frameAt(page, 0, 0.2);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 900, from.y, { steps: 4 });
  await page.mouse.up();
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, 400);
  await eventually(page, () => pixel(page, deep.x, deep.y), "255,255,255,255");
  equal(await pixel(page, at.x, at.y + 7), before, "back where it began");
});

test("the keyboard moves from frame to frame", "plain.html", async (page) => {
  const keys = async (...list) => { for (const key of list) await page.keyboard.press(key); };
  await keys("ArrowUp");
  await eventually(page, () => spoken(page), (text) => text.startsWith("all,"));
  await keys("ArrowUp");
  await eventually(page, () => spoken(page), (text) => text.startsWith("sh, process, level 1, total 80 samples (80.0 %)"));
  await keys("ArrowLeft");
  await eventually(page, () => spoken(page), (text) => text.startsWith("ls,"));
  await keys("ArrowUp", "ArrowUp", "Enter");
  await eventually(page, () => fragment(page), "#zoom=ls&zoom=main&zoom=sort");
  await keys("0");
  await eventually(page, () => fragment(page), "");
  await keys("i");
  await eventually(page, () => fragment(page), "#inverted=1");
  await clickFrame(page, 1, 0.1, true);
  await eventually(page, () => fragment(page), "#inverted=1&zoom=ls");
});

test("? lists the keys, Ctrl-F and / go to the search", "plain.html", async (page) => {
  await page.keyboard.press("?");
  contains(await page.locator("dialog").textContent(), "collapse recursion");
  await page.keyboard.press("Escape");
  await eventually(page, () => page.locator("dialog").count(), 0);
  for (const key of ["/", "Control+f"]) {
    await page.keyboard.press(key);
    equal(await page.evaluate(() => document.activeElement.id), "search");
    await page.keyboard.press("Escape");
  }
});

test("r makes a function that calls itself one frame", "plain.html", async (page) => {
  await page.keyboard.press("r");
  const { x, y } = await frameAt(page, 4, 0.9);
  await page.mouse.click(x, y);
  await eventually(page, () => fragment(page), "#collapse=1&zoom=sh&zoom=main&zoom=run&zoom=leaf");
});

test("focus and hide restrict, and can be taken off", "plain.html", async (page) => {
  await clickFrame(page, 3, 0.3); // parse
  await page.getByRole("button", { name: "Focus" }).click();
  await eventually(page, () => page.locator(".chips").textContent(), (text) => text.includes("^parse$"));
  await page.keyboard.press("3");
  equal(await names(page), ["parse", "read", "main", "sh"]);
  await page.getByRole("button", { name: "Remove all" }).click();
  await eventually(page, () => page.locator(".chips").count(), 0);
  await page.keyboard.press("1");
  await clickFrame(page, 2, 0.9); // main
  await page.keyboard.press("h");
  await page.keyboard.press("3");
  await eventually(page, () => names(page).then((list) => list.includes("main")), false);
});

test("the sandwich shows callers and callees of a function", "plain.html", async (page) => {
  await page.locator("#tab-sandwich").click();
  await page.getByRole("button", { name: "parse", exact: true }).click();
  await eventually(page, () => fragment(page), "#view=sandwich&fn=parse");
  contains(await page.locator(".halves").textContent(), "40 samples, 40.0 % of all");
  const halves = page.locator(".halves canvas");
  equal(await halves.count(), 2);
  const box = await halves.nth(1).boundingBox();
  await page.mouse.move(box.x + 20, box.y + 27); // first callee
  await eventually(page, () => page.locator(".tip-name").textContent(), "read");
  await page.mouse.click(box.x + 20, box.y + 27); // zooms: read is a quarter of parse
  let nudge = 20;
  await eventually(page, async () => {
    await page.mouse.move(box.x + box.width - nudge++, box.y + 27);
    return page.locator(".tip-name").allTextContents().then((list) => list.join());
  }, "read");
  const above = await halves.nth(0).boundingBox();
  await page.mouse.move(above.x + 20, above.y + above.height - 27); // first caller
  await eventually(page, () => page.locator(".tip-name").textContent(), "main");
});

test("the table sorts and filters", "plain.html", async (page) => {
  await page.keyboard.press("3");
  equal((await names(page)).slice(0, 4), ["leaf", "parse", "sort", "read"], "by self");
  await page.getByRole("button", { name: /^Total/ }).click();
  equal((await names(page)).slice(0, 2), ["main", "sh"], "by total");
  await page.getByRole("button", { name: "Function" }).click();
  equal((await names(page))[0], "leaf", "by name");
  equal(await page.locator("th[aria-sort=ascending]").count(), 1);
  await search(page, "^r");
  await eventually(page, () => names(page).then((list) => list.join()), "read,run");
});

test("the call graph counts each call once per stack", "plain.html", async (page) => {
  await page.keyboard.press("4");
  equal(await page.locator("#graph .node").count(), 8);
  const titles = await page.locator("#graph .edge title").allTextContents();
  check(titles.includes("main calls run: 40"), titles.join("; "));
  check(titles.includes("sh calls main: 80"), titles.join("; "));
  await page.locator("#graph .node", { hasText: "parse" }).click();
  await eventually(page, () => fragment(page), "#view=sandwich&fn=parse");
});

test("a link opens the same view", "plain.html", async (page) => {
  equal(await page.locator("#search").inputValue(), "read");
  await eventually(page, () => matched(page), "10.0 %");
  contains(await page.locator(".path").textContent(), "parse");
  await page.reload();
  await page.waitForSelector(".path");
  contains(await page.locator(".path").textContent(), "40.0 % of all");
}, { fragment: "#zoom=sh&zoom=main&zoom=parse&search=read" });

test("a link full of nonsense opens the report", "plain.html", async (page) => {
  equal(await page.locator("#tab-flame").getAttribute("aria-selected"), "true");
}, { fragment: "#view=x&value=99&time=9-1&sort=__proto__&zoom=%E0%A4&group=%00" });

test("a link followed later zooms too", "plain.html", async (page) => {
  await page.evaluate(() => (location.hash = "#zoom=ls&zoom=main"));
  await eventually(page, () => page.locator(".path").count(), 1);
  await page.waitForTimeout(300);
  await clickFrame(page, 3, 0.9); // sort fills the width now
  await eventually(page, () => spoken(page), (text) => text.startsWith("sort,"));
});

// kinds: app;read 3 | app;read;read_[k] 5
test("functions of one name and two kinds are two", "kinds.html", async (page) => {
  await page.keyboard.press("3");
  equal(await names(page), ["read", "read", "app"]);
  await page.locator(".table-view td.name button").first().click();
  await eventually(page, () => fragment(page), "#view=sandwich&fn=read+[kernel]");
  contains(await page.locator(".halves").textContent(), "5 samples, 62.5 % of all");
});

test("dark and light follow the system and the switch", "plain.html", async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  equal(await ground(), "rgb(22, 24, 28)");
  await page.locator("#theme").click();
  await eventually(page, ground, "rgb(255, 255, 255)");
  await eventually(page, () => fragment(page), "#theme=light");
}, { dark: true });

test("copy takes name and stack", "plain.html", async (page) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await clickFrame(page, 4, 0.25); // read
  await page.keyboard.press("C");
  await eventually(page, () => page.evaluate(() => navigator.clipboard.readText()), "read\nparse\nmain\nsh");
  await page.keyboard.press("c");
  await eventually(page, () => page.evaluate(() => navigator.clipboard.readText()), "read");
});

async function exported(page, id) {
  await page.locator("#export").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(id).click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

test("folded export is what was read, and follows the zoom", "plain.html", async (page) => {
  const { name, text } = await exported(page, "#export-folded");
  equal(name, "profile.folded");
  equal(text.trim().split("\n"), ["ls;main;sort 20", "sh;main;parse 30", "sh;main;parse;read 10", "sh;main;run;run;leaf 40"]);
  await clickFrame(page, 3, 0.3);
  equal((await exported(page, "#export-folded")).text, "sh;main;parse 30\nsh;main;parse;read 10\n");
});

test("SVG export is a picture of its own", "plain.html", async (page) => {
  const { text } = await exported(page, "#export-svg");
  const titles = await page.evaluate((svg) => {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
    return parsed.querySelector("parsererror") ? ["broken"] : [...parsed.querySelectorAll("title")].map((title) => title.textContent);
  }, text);
  equal(titles, ["all", "ls", "main", "sort", "sh", "main", "parse", "read", "run", "run", "leaf"]);
  await page.keyboard.press("4");
  contains((await exported(page, "#export-svg")).text, "marker-end");
});

// times: webd (threads 100, 101) and cron, 3 seconds; see tests/native/web.sh
test("processes and threads can be picked", "times.html", async (page) => {
  await page.locator("#tasks").click();
  await page.getByLabel(/^cron/).check();
  await eventually(page, () => page.locator(".chips").textContent(), (text) => text.includes("cron"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("3");
  check(!(await names(page)).includes("webd"), "webd is still there");
  await page.getByRole("button", { name: "Remove all" }).click();
  await page.locator("#tasks").click();
  await page.getByLabel(/^TID 101/).check();
  await page.keyboard.press("Escape");
  await eventually(page, () => names(page).then((list) => list.includes("cron")), false);
  const total = await page.locator(".table-view tr", { hasText: "webd" }).first().textContent();
  contains(total, "30");
});

test("the first level can be threads", "times.html", async (page) => {
  await page.keyboard.press("3");
  await eventually(page, () => names(page).then((list) => list.includes("webd (100/101)")), true);
}, { fragment: "#group=tid" });

test("a range of the heat map filters the flame graph", "times.html", async (page) => {
  await page.locator("#tab-heat").click();
  const box = await page.locator(".cells canvas").boundingBox();
  const cell = (box.width - 54) / 3;
  // From the beginning of the second second to its end: bottom to top of one column.
  await page.mouse.move(box.x + 46 + cell * 1.5, box.y + 50 * 7 - 3);
  await page.mouse.down();
  await page.mouse.move(box.x + 46 + cell * 1.5, box.y + 2, { steps: 5 });
  await page.mouse.up();
  await eventually(page, () => fragment(page), "#view=heat&time=1000000-2000000");
  await page.getByRole("button", { name: "Show as flame graph" }).click();
  await page.keyboard.press("3");
  const all = await page.locator(".table-view tbody tr", { hasText: "main" }).first().textContent();
  contains(all, "100 %");
  await page.keyboard.press("1");
  await page.keyboard.press("ArrowUp");
  await eventually(page, () => spoken(page), (text) => text.includes("total 30 "));
});

// labels: main;work 10 (request=alpha), 30 (beta) | main 5 (alpha)
test("labels can be picked", "labels.html", async (page) => {
  await page.locator("#tasks").click();
  await page.getByLabel(/request=alpha/).check();
  await eventually(page, () => fragment(page), "#labels=request=alpha");
  await page.keyboard.press("Escape");
  await page.keyboard.press("3");
  const rows = await page.locator(".table-view tbody tr").allTextContents();
  check(rows.length === 2 && rows[0].startsWith("1066.7 %"), rows.join(" | "));
});

// diff: app;main;same 50 50 | app;main;grown 20 60 | app;main;gone 30 0 | app;main;fresh 0 25
test("a difference shows what is new and what vanished", "diff.html", async (page) => {
  await page.keyboard.press("3");
  const row = (name) => page.locator(".table-view tbody tr", { has: page.locator("bdi", { hasText: new RegExp(`^${name}$`) }) });
  contains(await row("gone").textContent(), "vanished");
  contains(await row("fresh").textContent(), "new");
  contains(await row("grown").textContent(), "+40");
  equal((await names(page))[0], "grown", "the largest change comes first");
  await page.keyboard.press("1");
  await clickFrame(page, 3, 0.25); // fresh 25, gone 30, grown 60, same 50: gone
  await eventually(page, () => spoken(page), (text) => text.startsWith("gone,") && text.includes("30 → 0, vanished"));
  await page.keyboard.press("0");
  await page.waitForTimeout(300);
  await clickFrame(page, 3, 0.05);
  await eventually(page, () => spoken(page), (text) => text.startsWith("fresh,") && text.includes("0 → 25, new"));
});

test("the sandwich of a difference tells before and after", "diff.html", async (page) => {
  contains(await page.locator(".halves h2").first().textContent(), "20 → 60, +200.0 %");
  contains(await page.locator(".functions tr[aria-selected=true]").textContent(), "2060grown");
}, { fragment: "#view=sandwich&fn=grown" });

test("a difference is exported with both numbers", "diff.html", async (page) => {
  const { text } = await exported(page, "#export-folded");
  equal(text.trim().split("\n").sort(), ["app;main;fresh 0 25", "app;main;gone 30 0", "app;main;grown 20 60", "app;main;same 50 50"]);
});

test("hostile names stay text everywhere", "hostile.html", async (page) => {
  await page.keyboard.press("3");
  const list = await names(page);
  for (const name of ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\"quotes\" & 'more'", "\u202Eright to left", "😀 emoji"])
    check(list.includes(name), `${name} is not in ${list.join(" | ")}`);
  for (const view of ["2", "4", "1"]) await page.keyboard.press(view);
  await page.keyboard.press("ArrowUp");
  await search(page, "<script>");
  await eventually(page, () => matched(page), (text) => text.endsWith("%"));
  const { text } = await exported(page, "#export-svg");
  check(!text.includes("<script>"), "markup in the exported picture");
  equal(await page.locator("#app script, #app img").count(), 0);
});

test("is served by wick view", readFileSync(join(folder, "served.url"), "utf8").trim(), async (page) => {
  contains(await page.locator("footer").textContent(), "100");
});

await runAll(folder, process.argv[3]);
