// The flame graph's script and style. Without the script (an <img>, a PDF) the static picture
// stays.
//
// The script draws one <path> a colour, each rectangle a thick horizontal line in it, and text
// where it fits: forty elements instead of one for each node, so 100,000 nodes load and zoom
// without a pause. The frame under the pointer is found in the data, not in the document.
#include "formats/svg_assets.h"

namespace wick {
namespace {

constexpr std::string_view kStyle = R"css(
svg{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;background:#fff}
#bg{fill:#fff}
text{fill:#222;white-space:pre}
.title{font:600 17px system-ui,"Helvetica Neue",Arial,sans-serif}
.sub,.foot,.ui{font:12px system-ui,"Helvetica Neue",Arial,sans-serif;fill:#666}
.warn{fill:#b00020}
.ui{cursor:pointer;fill:#0b57d0}
.ui:hover,.ui:focus{text-decoration:underline}
#frames path{fill:none;stroke-width:15}
#frames text{fill:#111;pointer-events:none}
#frames .past{opacity:.45}
#frames .m{stroke:#f4f}
#mark{fill:none;stroke:#000;stroke-width:1.5;pointer-events:none}
#tip{pointer-events:none}
#tip rect{fill:#fffff4;stroke:#999}
#tip text{fill:#111}
input{outline-offset:0;font:12px system-ui,sans-serif;width:100%;box-sizing:border-box;height:22px;padding:2px 6px;border:1px solid #aaa;border-radius:4px;background:#fff;color:#111}
input.bad{border-color:#b00020;background:#fee}
@media(prefers-color-scheme:dark){
svg{background:#1c1c20}
#bg{fill:#1c1c20}
text{fill:#e6e6e6}
.sub,.foot{fill:#a8a8b0}
.warn{fill:#ff8a80}
.ui{fill:#8ab4f8}
#frames path{opacity:.86}
#frames .past{opacity:.6}
#mark{stroke:#fff}
#tip rect{fill:#2b2b31;stroke:#777}
#tip text{fill:#eee}
input{background:#2b2b31;color:#eee;border-color:#666}
input.bad{background:#522}
}
)css";
constexpr std::string_view kScript = R"js(
(function () {
"use strict";
const NS = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const PAD = 10, ROW = 16, TOP = 62, SMALLEST = 0.3, TEXT_FROM = 28;
const svg = document.currentScript.ownerSVGElement;
const part = name => svg.getElementById(name);
const frames = part("frames"), mark = part("mark"), tip = part("tip");
const details = part("details"), matched = part("matched"), reset = part("reset");

// The nodes, a parent before its children: levels to climb, gap to the left, total, name.
const fields = flame.nodes.split(","), count = fields.length / 4;
const start = new Float64Array(count), total = new Float64Array(count), next = new Float64Array(count);
const name = new Uint32Array(count), depth = new Uint16Array(count);
const parent = new Int32Array(count).fill(-1), end = new Uint32Array(count);
const field = at => fields[at] === "" ? 0 : parseInt(fields[at], 36);
for (let i = 0; i < count; i++) {
  total[i] = field(4 * i + 2);
  name[i] = field(4 * i + 3);
  if (i === 0) continue;
  let up = i - 1;
  for (let n = field(4 * i); n > 0; n--) up = parent[up];
  parent[i] = up;
  depth[i] = depth[up] + 1;
  start[i] = next[i] = next[up] + field(4 * i + 1);
  next[up] = start[i] + total[i];
}
for (let i = count - 1; i >= 0; i--) {
  end[i] = Math.max(end[i], i + 1);
  if (i > 0) end[parent[i]] = Math.max(end[parent[i]], end[i]);
}
const rows = flame.rows;

const rest = details.textContent + " \u2014 click a frame to zoom, Esc to go back, arrows to walk, I to flip";
let zoomed = 0, hits = null, pattern = "", inverted = flame.inverted, hovered = -1;
let width = 1200, glyph = 7.2, drawn = [];

const nameOf = i => i === 0 ? "all" : flame.names[name[i]];
const kindOf = i => flame.kinds[flame.colours.charCodeAt(2 * name[i]) - 97] || "";
const classOf = i => i === 0 ? "r" : depth[i] === 1 ? "c" : flame.colours.substr(2 * name[i], 2);
const yOf = d => TOP + ROW * (inverted ? d : rows - 1 - d);
const percent = (a, b) => (b > 0 ? 100 * a / b : 0).toFixed(2) + " %";
const number = n => n.toLocaleString("en-US");
function element(tag, attributes, text) {
  const e = document.createElementNS(NS, tag);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text !== undefined) e.textContent = text;
  return e;
}

// Where node i stands now: [left, width] in pixels.
function place(i) {
  const inner = width - 2 * PAD;
  if (i <= zoomed) return [PAD, inner];
  const scale = inner / total[zoomed];
  return [PAD + (start[i] - start[zoomed]) * scale, total[i] * scale];
}

function draw() {
  width = Math.max(320, svg.getBoundingClientRect().width || 1200);
  const lines = new Map(), texts = [], column = new Int32Array(rows).fill(-1);
  drawn = Array.from({length: rows}, () => []);
  const add = (i, past) => {
    const [x, w] = place(i), y = yOf(depth[i]);
    const look = (hits && i > 0 && hits[name[i]] ? "m" : classOf(i)) + (past ? " past" : "");
    let line = lines.get(look);
    if (!line) lines.set(look, line = []);
    line.push("M" + x.toFixed(2) + " " + (y + 7.5) + "h" + (w > 3 ? w - 0.8 : w).toFixed(2));
    drawn[depth[i]].push(i);
    if (w < TEXT_FROM) return;
    const room = Math.floor((w - 7) / glyph), letters = Array.from(nameOf(i));
    const text = letters.length <= room ? nameOf(i) : letters.slice(0, room - 1).join("") + "\u2026";
    texts.push(element("text", {x: (x + 3).toFixed(1), y: y + 11.5}, text));
  };
  for (let i = parent[zoomed]; i >= 0; i = parent[i]) add(i, true);
  for (let i = zoomed; i < end[zoomed];) {
    const [x, w] = place(i), half = Math.floor(2 * x), d = depth[i];
    if (i !== zoomed && w < SMALLEST) { i = end[i]; continue; }
    // Two rectangles in one half of a pixel look like one.
    if (w >= 1 || half !== column[d] || hits && hits[name[i]]) add(i, false);
    column[d] = half;
    i++;
  }
  const paths = [];
  for (const [look, line] of lines) paths.push(element("path", {class: look, d: line.join("")}));
  frames.replaceChildren(...paths, ...texts);
  reset.style.display = zoomed ? "" : "none";
  layOutHead();
  hover(-1);
}

function layOutHead() {
  for (const e of svg.querySelectorAll("[data-right]")) e.setAttribute("x", width - e.dataset.right);
  part("bg").setAttribute("width", width);
  fit(part("title"), 190 + (zoomed ? 80 : 0) + (hits ? 110 : 0));
  fit(part("subtitle"), 0);
}

// Cuts a line of text where less than `taken` pixels would be left on its right.
function fit(e, taken) {
  e.dataset.whole ??= e.textContent;
  const letters = Array.from(e.dataset.whole), room = width - 2 * PAD - taken;
  e.textContent = e.dataset.whole;
  const length = e.getComputedTextLength();
  if (length <= room) return;
  e.textContent = letters.slice(0, Math.max(1, Math.floor(letters.length * room / length) - 2)).join("") + "\u2026";
}

function at(x, y) {
  const row = Math.floor((y - TOP) / ROW), d = inverted ? row : rows - 1 - row;
  const list = drawn[d];
  if (!list) return -1;
  let low = 0, high = list.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1, [left, w] = place(list[middle]);
    if (x < left) high = middle - 1;
    else if (x >= left + w) low = middle + 1;
    else return list[middle];
  }
  return -1;
}

function describe(i) {
  const kind = i > 0 && depth[i] > 1 ? kindOf(i) : "";
  let text = number(total[i]) + " " + flame.unit + ", " + percent(total[i], total[0]);
  if (zoomed && i > zoomed) text += ", " + percent(total[i], total[zoomed]) + " of the view";
  return kind ? text + " \u00b7 " + kind : text;
}

function hover(i, x, y) {
  hovered = i;
  details.textContent = i < 0 ? rest : nameOf(i) + " \u2014 " + describe(i);
  mark.style.display = tip.style.display = "none";
  if (i < 0) return;
  const [left, w] = place(i);
  mark.style.display = "";
  for (const [key, value] of [["x", left], ["y", yOf(depth[i])], ["width", Math.max(1, w - 0.8)]])
    mark.setAttribute(key, value);
  if (x !== undefined) showTip(i, x, y);
}

function showTip(i, x, y) {
  const most = Math.max(20, Math.floor((Math.min(width, 760) - 40) / glyph));
  const letters = Array.from(nameOf(i)), lines = [];
  for (let n = 0; n < letters.length && lines.length < 6; n += most)
    lines.push(letters.slice(n, n + most).join(""));
  if (letters.length > 6 * most) lines[5] = lines[5].slice(0, -1) + "\u2026";
  lines.push(describe(i));
  const w = Math.max(...lines.map(l => l.length)) * glyph + 16, h = lines.length * 15 + 9;
  const left = Math.max(2, Math.min(x + 12, width - w - 2));
  const view = svg.getBoundingClientRect(), below = y + 18;
  const top = view.top + below + h > innerHeight ? Math.max(-view.top, y - h - 8) : below;
  tip.replaceChildren(element("rect", {x: left, y: top, width: w, height: h, rx: 4}),
    ...lines.map((l, n) => element("text", {x: left + 8, y: top + 16 + 15 * n}, l)));
  tip.style.display = "";
}

function zoom(i) {
  zoomed = i;
  search(pattern);
  remember();
}

function search(text) {
  pattern = text;
  hits = null;
  matched.textContent = "";
  input.classList.remove("bad");
  if (text !== "") {
    try {
      const expression = new RegExp(text);
      hits = flame.names.map(n => expression.test(n));
    } catch (error) { input.classList.add("bad"); }
  }
  if (hits) {
    let sum = 0;
    for (let i = zoomed; i < end[zoomed];) {
      if (i > 0 && hits[name[i]]) { sum += total[i]; i = end[i]; } else i++;
    }
    matched.textContent = "Matched " + percent(sum, total[zoomed]);
  }
  draw();
}

// The state goes by names, so a link still fits when the graph is drawn anew.
let own = null;
function remember() {
  const path = [];
  for (let i = zoomed; i > 0; i = parent[i]) path.unshift(encodeURIComponent(nameOf(i)));
  const state = [];
  if (path.length) state.push("zoom=" + path.join(";"));
  if (pattern) state.push("search=" + encodeURIComponent(pattern));
  own = state.join("&");
  if (own !== location.hash.slice(1)) location.hash = own;
}

function recall() {
  const hash = location.hash.slice(1);
  if (hash === own) return;
  own = hash;
  zoomed = 0;
  let wanted = "";
  for (const pair of hash.split("&")) {
    const [key, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
    try {
      if (key === "search") wanted = decodeURIComponent(value);
      if (key === "zoom") zoomed = follow(value.split(";").map(decodeURIComponent));
    } catch (error) { /* a link cut short shows the whole graph */ }
  }
  input.value = wanted;
  search(wanted);
}

function follow(path) {
  let i = 0;
  for (const step of path) {
    let child = i + 1;
    while (child < end[i] && nameOf(child) !== step) child = end[child];
    if (child >= end[i]) return i;
    i = child;
  }
  return i;
}

// The next node for an arrow key, from the one under the mark.
function step(key) {
  if (hovered < 0) return zoomed;
  if (key === (inverted ? "ArrowUp" : "ArrowDown")) return Math.max(parent[hovered], 0);
  if (key === "ArrowUp" || key === "ArrowDown") {
    const child = drawn[depth[hovered] + 1] || [];
    return child.find(i => i > hovered && i < end[hovered]) ?? hovered;
  }
  const row = drawn[depth[hovered]];
  return row[row.indexOf(hovered) + (key === "ArrowRight" ? 1 : -1)] ?? hovered;
}

function onKey(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === "f" || event.key === "/" && event.target !== input) {
    event.preventDefault();
    input.focus();
    input.select();
  } else if (event.key === "Escape") {
    input.value = "";
    input.blur();
    if (pattern) search(""), remember();
    else zoom(0);
  } else if (event.target === input || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  } else if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    hover(step(event.key));
  } else if (event.key === "Enter" && event.target === reset || event.key === "0") {
    zoom(0);
  } else if (event.key === "Enter" && hovered >= 0) {
    zoom(hovered);
  } else if (event.key === "i" || event.key === "I") {
    inverted = !inverted;
    draw();
  }
}

function addInput() {
  const box = element("foreignObject", {y: 8, width: 170, height: 24, "data-right": 180});
  const field = document.createElementNS(HTML, "input");
  for (const [key, value] of [["type", "search"], ["placeholder", "Search: regex, Ctrl-F"],
                              ["aria-label", "Search by regular expression"], ["spellcheck", "false"]])
    field.setAttribute(key, value);
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { search(field.value); remember(); }, 120);
  });
  box.append(field);
  svg.append(box);
  return field;
}

const point = event => {
  const view = svg.getBoundingClientRect();
  return [event.clientX - view.left, event.clientY - view.top];
};
const input = addInput();
svg.removeAttribute("viewBox");
svg.setAttribute("width", "100%");
svg.setAttribute("tabindex", "0");
svg.style.outline = "none";
const probe = element("text", {}, "m".repeat(50));
frames.append(probe);
glyph = probe.getComputedTextLength() / 50 || glyph;
frames.addEventListener("click", event => { const i = at(...point(event)); if (i >= 0) zoom(i); });
svg.addEventListener("pointermove", event => { const p = point(event), i = at(...p); if (i >= 0 || hovered >= 0) hover(i, ...p); });
svg.addEventListener("pointerleave", () => hover(-1));
reset.addEventListener("click", () => zoom(0));
addEventListener("keydown", onKey);
addEventListener("hashchange", recall);
addEventListener("resize", draw);
own = null;
recall();
})();
)js";

}  // namespace

std::string_view svg_style() {
  return kStyle;
}

std::string_view svg_script() {
  return kScript;
}

}  // namespace wick
