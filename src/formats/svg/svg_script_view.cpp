// The first part of the flame graph's script: the nodes, and drawing them. Without the script (an
// <img>, a PDF) the static picture stays.
//
// It draws one <path> a colour, each rectangle a thick horizontal line in it, and text where it
// fits: forty elements instead of one for each node, so 100,000 nodes load and zoom without a
// pause. The frame under the pointer is found in the data, not in the document.
#include "formats/svg/svg_assets.h"

namespace wick {
namespace {

constexpr std::string_view kViewScript = R"js(
(function () {
"use strict";
const NS = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const PAD = 10, TOP = 62, SMALLEST = 0.3;
const ROW = flame.row, FONT = flame.font, TEXT_FROM = 2.4 * FONT;
const svg = document.currentScript.ownerSVGElement;
const part = name => svg.getElementById(name);
const frames = part("frames"), head = part("head"), mark = part("mark"), tip = part("tip");
const details = part("details"), matched = part("matched"), reset = part("reset");

// The nodes, a parent before its children: levels to climb, gap to the left, total, name.
const fields = flame.nodes.split(","), count = fields.length / 4;
const start = new Float64Array(count), total = new Float64Array(count), next = new Float64Array(count);
const name = new Uint32Array(count), depth = new Uint16Array(count);
const parent = new Int32Array(count).fill(-1), end = new Uint32Array(count);
const from36 = text => text === "" ? 0 : parseInt(text, 36);
const looks = flame.looks.split(","), rows = flame.rows;
for (let i = 0; i < count; i++) {
  total[i] = from36(fields[4 * i + 2]);
  name[i] = from36(fields[4 * i + 3]);
  if (i === 0) continue;
  let up = i - 1;
  for (let n = from36(fields[4 * i]); n > 0; n--) up = parent[up];
  parent[i] = up;
  depth[i] = depth[up] + 1;
  start[i] = next[i] = next[up] + from36(fields[4 * i + 1]);
  next[up] = start[i] + total[i];
}
for (let i = count - 1; i >= 0; i--) {
  end[i] = Math.max(end[i], i + 1);
  if (i > 0) end[parent[i]] = Math.max(end[parent[i]], end[i]);
}
// Of a differential, four numbers a node: before, after, and the same of itself alone.
const changes = flame.changes ? Float64Array.from(flame.changes.split(","), from36) : null;
const changeOf = (i, which) => changes[4 * i + which];

let zoomed = 0, hits = null, inverted = flame.inverted, hovered = -1;
let width = 1200, glyph = 0.61 * FONT, drawn = [], found = [];

const nameOf = i => i === 0 ? "all" : flame.names[name[i]];
// A name that turns the direction of writing must not turn what stands beside it.
const shownName = i => (flame.nameType ? flame.nameType + " " : "") +
  nameOf(i).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
const kindOf = i => i > 0 && depth[i] > 1 ? flame.kinds[flame.kindOf.charCodeAt(name[i]) - 48] : "";
const yOf = d => TOP + ROW * (inverted ? d : rows - 1 - d);
const percent = (a, b) => (b > 0 ? 100 * a / b : 0).toFixed(2) + " %";
const number = n => (n * flame.factor).toLocaleString("en-US", {maximumFractionDigits: flame.factor === 1 ? 0 : 2});
function lookOf(i) {
  if (i === 0) return "r";
  if (changes) return "d" + flame.levels[i];
  return depth[i] === 1 && flame.plainLabels && flame.kindOf[name[i]] === "0" ? "c" : "k" + looks[name[i]];
}
function element(tag, attributes, text) {
  const e = document.createElementNS(NS, tag);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text !== undefined) e.textContent = text;
  return e;
}

// As much of a text as fits into some columns; letters of East Asia and emoji take two.
function cut(text, columns) {
  if (text.length * 2 <= columns) return text;
  let out = "", used = 0;
  for (const letter of text) {
    used += letter >= "\u1100" && letter < "\u1180" || letter >= "\u3000" ? 2 : 1;
    if (used > columns) return Array.from(out).slice(0, -1).join("") + "\u2026";
    out += letter;
  }
  return text;
}

// Where node i stands now: [left, width] in pixels.
function place(i) {
  const inner = width - 2 * PAD;
  if (i <= zoomed) return [PAD, inner];
  const scale = inner / total[zoomed];
  return [PAD + (start[i] - start[zoomed]) * scale, total[i] * scale];
}

function draw() {
  width = flame.width || Math.max(320, svg.getBoundingClientRect().width || 1200);
  const lines = new Map(), texts = [], column = new Int32Array(rows).fill(-1);
  drawn = Array.from({length: rows}, () => []);
  found = [];
  const add = (i, past) => {
    const [x, w] = place(i), y = yOf(depth[i]), hit = hits && i > 0 && hits[name[i]];
    const look = (hit ? "m" : lookOf(i)) + (past ? " past" : "");
    let line = lines.get(look);
    if (!line) lines.set(look, line = []);
    line.push("M" + x.toFixed(2) + " " + (y + (ROW - 1) / 2) + "h" + (w > 3 ? w - 0.8 : w).toFixed(2));
    drawn[depth[i]].push(i);
    if (hit && !past) found.push(i);
    if (w < TEXT_FROM) return;
    const sign = changes ? {n: "+ ", v: "\u2212 "}[flame.levels[i]] || "" : "";
    const text = cut(sign + nameOf(i), Math.floor((w - 7) / glyph));
    texts.push(element("text", {x: (x + 3).toFixed(1), y: (y + ROW / 2 + 0.3 * FONT).toFixed(1)}, text));
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
  for (const e of svg.querySelectorAll(".bg")) e.setAttribute("width", width);
  fit(part("title"), 200 + (zoomed ? 85 : 0));
  fit(part("subtitle"), hits ? 190 : 0);
}

// Cuts a line of text where less than `taken` pixels would be left on its right.
function fit(e, taken) {
  e.dataset.whole ??= e.textContent;
  const letters = Array.from(e.dataset.whole), room = width - 2 * PAD - taken;
  e.textContent = e.dataset.whole;
  const length = e.getComputedTextLength();
  if (length <= room) return;
  const most = Math.floor(letters.length * room / length) - 2;
  e.textContent = most < 3 ? "" : letters.slice(0, most).join("") + "\u2026";
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

function changeText(before, after) {
  if (before === after) return "unchanged";
  if (before === 0) return "new";
  if (after === 0) return "vanished";
  const change = 100 * (after - before) / before;
  return (change > 0 ? "+" : "\u2212") + Math.abs(change).toFixed(1) + " %";
}

// What there is to say of a node, a line each.
function describe(i) {
  if (changes) {
    const [before, after, selfBefore, selfAfter] = [0, 1, 2, 3].map(which => changeOf(i, which));
    return ["total " + number(before) + " \u2192 " + number(after) + " " + flame.unit + ", " + changeText(before, after),
      "self " + number(selfBefore) + " \u2192 " + number(selfAfter) + ", " + changeText(selfBefore, selfAfter),
      "share " + percent(before, changeOf(0, 0)) + " \u2192 " + percent(after, changeOf(0, 1))];
  }
  const kind = kindOf(i);
  let text = number(total[i]) + " " + flame.unit + ", " + percent(total[i], total[0]);
  if (zoomed && i > zoomed) text += ", " + percent(total[i], total[zoomed]) + " of the view";
  return [kind ? text + " \u00b7 " + kind : text];
}

function hover(i, x, y) {
  hovered = i;
  details.textContent = i < 0 ? rest : shownName(i) + " \u2014 " + describe(i).join(" \u00b7 ");
  if (i >= 0) fit0(details);
  mark.style.display = tip.style.display = "none";
  if (i < 0) return;
  const [left, w] = place(i);
  mark.style.display = "";
  for (const [key, value] of [["x", left], ["y", yOf(depth[i])], ["width", Math.max(1, w - 0.8)]])
    mark.setAttribute(key, value);
  if (x !== undefined) showTip(tipLines(i), x, y);
}

function fit0(e) {
  delete e.dataset.whole;
  fit(e, 0);
}

function tipLines(i) {
  const most = Math.max(20, Math.floor((Math.min(width, 760) - 40) / glyph));
  const letters = Array.from(shownName(i)), lines = [];
  for (let n = 0; n < letters.length && lines.length < 6; n += most)
    lines.push({name: true, text: letters.slice(n, n + most).join("")});
  if (letters.length > 6 * most) lines[5].text = lines[5].text.slice(0, -1) + "\u2026";
  return lines.concat(describe(i).map(text => ({text})));
}

function showTip(lines, x, y) {
  const texts = lines.map((l, n) => element("text", {class: l.name ? "name" : ""}, l.text));
  const box = element("rect", {rx: 5});
  tip.style.display = "";
  tip.replaceChildren(box, ...texts);
  const w = Math.max(...texts.map(t => t.getComputedTextLength())) + 18, h = lines.length * 17 + 9;
  const left = Math.max(2, Math.min(x + 12, width - w - 2));
  const view = svg.getBoundingClientRect(), below = y + 18;
  const top = view.top + below + h > innerHeight ? Math.max(-view.top, y - h - 8) : below;
  for (const [key, value] of [["x", left], ["y", top], ["width", w], ["height", h]]) box.setAttribute(key, value);
  texts.forEach((t, n) => { t.setAttribute("x", left + 9); t.setAttribute("y", top + 18 + 17 * n); });
}
)js";

}  // namespace

std::string_view svg_view_script() {
  return kViewScript;
}

}  // namespace wick
