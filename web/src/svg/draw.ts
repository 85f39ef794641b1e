// Draws one <path> a colour, each rectangle a thick horizontal line in it, and text where it fits: forty
// elements instead of one for each node, so 100,000 nodes load and zoom without a pause. The frame under
// the pointer is found in the data, not in the document.
import { hover } from "./hover";
import { changes, depth, end, lookOf, name, nameOf, parent } from "./nodes";
import { element, fit, font, frames, place, reset, row, rows, svg, text, top, view, yOf } from "./picture";

const smallest = 0.3; // pixels
const textFrom = 2.4 * font;

// As much of a text as fits into some columns; letters of East Asia and emoji take two.
function cut(whole: string, columns: number): string {
  if (whole.length * 2 <= columns) return whole;
  let out = "";
  let used = 0;
  for (const letter of whole) {
    used += (letter >= "\u1100" && letter < "\u1180") || letter >= "\u3000" ? 2 : 1;
    if (used > columns) return Array.from(out).slice(0, -1).join("") + "\u2026";
    out += letter;
  }
  return whole;
}

function labelOf(i: number, room: number): string {
  const signs: Record<string, string> = { n: "+ ", v: "\u2212 " };
  const sign = changes ? signs[flame.levels[i]] || "" : "";
  return cut(sign + nameOf(i), Math.floor((room - 7) / view.glyph));
}

export function draw(): void {
  view.width = flame.width || Math.max(320, svg.getBoundingClientRect().width || 1200);
  const lines = new Map<string, string[]>();
  const texts: SVGElement[] = [];
  view.drawn = Array.from({ length: rows }, () => []);
  view.found = [];
  const add = (i: number, past: boolean) => {
    const [x, width] = place(i);
    const y = yOf(depth[i]);
    const hit = view.hits && i > 0 && view.hits[name[i]];
    const look = (hit ? "m" : lookOf(i)) + (past ? " past" : "");
    let line = lines.get(look);
    if (!line) lines.set(look, (line = []));
    line.push("M" + x.toFixed(2) + " " + (y + (row - 1) / 2) + "h" + (width > 3 ? width - 0.8 : width).toFixed(2));
    view.drawn[depth[i]].push(i);
    if (hit && !past) view.found.push(i);
    if (width >= textFrom) texts.push(element("text", { x: (x + 3).toFixed(1), y: (y + row / 2 + 0.3 * font).toFixed(1) }, labelOf(i, width)));
  };
  for (let i = parent[view.zoomed]; i >= 0; i = parent[i]) add(i, true);
  addAbove(view.zoomed, add);
  const paths = [...lines].map(([look, line]) => element("path", { class: look, d: line.join("") }));
  frames.replaceChildren(...paths, ...texts);
  reset.style.display = view.zoomed ? "" : "none";
  layOutHead();
  hover(-1);
}

// The node and what stands on it, as far as it can be seen.
function addAbove(root: number, add: (i: number, past: boolean) => void): void {
  const column = new Int32Array(rows).fill(-1);
  for (let i = root; i < end[root]; ) {
    const [x, width] = place(i);
    const half = Math.floor(2 * x);
    if (i !== root && width < smallest) {
      i = end[i];
      continue;
    }
    // Two rectangles in one half of a pixel look like one.
    if (width >= 1 || half !== column[depth[i]] || (view.hits && view.hits[name[i]])) add(i, false);
    column[depth[i]] = half;
    i++;
  }
}

function layOutHead(): void {
  for (const e of svg.querySelectorAll<SVGElement>("[data-right]")) e.setAttribute("x", String(view.width - Number(e.dataset.right)));
  for (const e of svg.querySelectorAll(".bg")) e.setAttribute("width", String(view.width));
  fit(text("title"), 200 + (view.zoomed ? 85 : 0));
  fit(text("subtitle"), view.hits ? 190 : 0);
}

// The drawn node at a point, or -1.
export function at(x: number, y: number): number {
  const line = Math.floor((y - top) / row);
  const list = view.drawn[view.inverted ? line : rows - 1 - line];
  if (!list) return -1;
  let low = 0;
  let high = list.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [left, width] = place(list[middle]);
    if (x < left) high = middle - 1;
    else if (x >= left + width) low = middle + 1;
    else return list[middle];
  }
  return -1;
}
