// What is said of the frame under the mark: in the line below the graph, and in a tip at the pointer.
import { changeOf, changes, depth, kindOf, shownName, total } from "./nodes";
import { details, element, mark, place, sayDetails, svg, tip, view, yOf } from "./picture";

export interface TipLine {
  name?: boolean;
  text: string;
}

const rest = details.textContent + " \u2014 click a frame to zoom, ? for keys";

export const percent = (a: number, b: number) => (b > 0 ? (100 * a) / b : 0).toFixed(2) + " %";
const number = (n: number) => (n * flame.factor).toLocaleString("en-US", { maximumFractionDigits: flame.factor === 1 ? 0 : 2 });

function changeText(before: number, after: number): string {
  if (before === after) return "unchanged";
  if (before === 0) return "new";
  if (after === 0) return "vanished";
  const change = (100 * (after - before)) / before;
  return (change > 0 ? "+" : "\u2212") + Math.abs(change).toFixed(1) + " %";
}

// What there is to say of a node, a line each.
function describe(i: number): string[] {
  if (changes) {
    const [before, after, selfBefore, selfAfter] = [0, 1, 2, 3].map((which) => changeOf(i, which));
    return [
      "total " + number(before) + " \u2192 " + number(after) + " " + flame.unit + ", " + changeText(before, after),
      "self " + number(selfBefore) + " \u2192 " + number(selfAfter) + ", " + changeText(selfBefore, selfAfter),
      "share " + percent(before, changeOf(0, 0)) + " \u2192 " + percent(after, changeOf(0, 1)),
    ];
  }
  const kind = kindOf(i);
  let said = number(total[i]) + " " + flame.unit + ", " + percent(total[i], total[0]);
  if (view.zoomed && i > view.zoomed) said += ", " + percent(total[i], total[view.zoomed]) + " of the view";
  return [kind ? said + " \u00b7 " + kind : said];
}

// Marks node i, or none (-1); with a tip where a point is given.
export function hover(i: number, x?: number, y?: number): void {
  view.hovered = i;
  if (i < 0) details.textContent = rest;
  else sayDetails(shownName(i) + " \u2014 " + describe(i).join(" \u00b7 "));
  mark.style.display = tip.style.display = "none";
  if (i < 0) return;
  const [left, width] = place(i);
  mark.style.display = "";
  mark.setAttribute("x", String(left));
  mark.setAttribute("y", String(yOf(depth[i])));
  mark.setAttribute("width", String(Math.max(1, width - 0.8)));
  if (x !== undefined && y !== undefined) showTip(tipLines(i), x, y);
}

function tipLines(i: number): TipLine[] {
  const most = Math.max(20, Math.floor((Math.min(view.width, 760) - 40) / view.glyph));
  const letters = Array.from(shownName(i));
  const lines: TipLine[] = [];
  for (let n = 0; n < letters.length && lines.length < 6; n += most) lines.push({ name: true, text: letters.slice(n, n + most).join("") });
  if (letters.length > 6 * most) lines[5].text = lines[5].text.slice(0, -1) + "\u2026";
  return lines.concat(describe(i).map((text) => ({ text })));
}

export function showTip(lines: TipLine[], x: number, y: number): void {
  const texts = lines.map((line) => element("text", { class: line.name ? "name" : "" }, line.text));
  const box = element("rect", { rx: 5 });
  tip.style.display = "";
  tip.replaceChildren(box, ...texts);
  const width = Math.max(...texts.map((line) => line.getComputedTextLength())) + 18;
  const height = lines.length * 17 + 9;
  const left = Math.max(2, Math.min(x + 12, view.width - width - 2));
  const seen = svg.getBoundingClientRect();
  const below = y + 18;
  const top = seen.top + below + height > innerHeight ? Math.max(-seen.top, y - height - 8) : below;
  for (const [key, value] of Object.entries({ x: left, y: top, width, height })) box.setAttribute(key, String(value));
  texts.forEach((line, n) => {
    line.setAttribute("x", String(left + 9));
    line.setAttribute("y", String(top + 18 + 17 * n));
  });
}
