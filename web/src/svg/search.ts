// Zoom and search, and how much of what is in view matches.
import { draw } from "./draw";
import { hover, percent } from "./hover";
import { remember } from "./links";
import { changeOf, changes, end, name, total } from "./nodes";
import { element, head, mark, matched, view } from "./picture";

export const searched = { pattern: "", chosen: -1 };

let timer = 0;
export const input = addInput();

export function zoom(i: number): void {
  view.zoomed = i;
  search(searched.pattern);
  remember(true);
}

export function search(pattern: string): void {
  searched.pattern = pattern;
  searched.chosen = -1;
  view.hits = null;
  input.classList.remove("bad");
  if (pattern !== "") {
    try {
      const expression = new RegExp(pattern, /[A-Z]/.test(pattern) ? "" : "i"); // as in the report
      view.hits = flame.names.map((n) => expression.test(n));
    } catch {
      input.classList.add("bad");
    }
  }
  draw();
  sayMatched();
}

// The share of what is in view whose stack holds a match; a match on a match counts once.
export function sayMatched(): void {
  const { hits, zoomed, found } = view;
  matched.textContent = "";
  if (!hits) return;
  const sums = [0, 0];
  const totals = changes ? [changeOf(zoomed, 0), changeOf(zoomed, 1)] : [total[zoomed]];
  for (let i = zoomed; i < end[zoomed]; ) {
    if (i === 0 || !hits[name[i]]) {
      i++;
      continue;
    }
    totals.forEach((_, which) => (sums[which] += changes ? changeOf(i, which) : total[i]));
    i = end[i];
  }
  const { chosen } = searched;
  matched.textContent =
    "Matched " + totals.map((whole, which) => percent(sums[which], whole)).join(" \u2192 ") + (chosen >= 0 ? " \u00b7 " + (chosen + 1) + "/" + found.length : "");
}

export function walkMatches(by: number): void {
  const { found } = view;
  if (!found.length) return;
  searched.chosen = searched.chosen < 0 && by < 0 ? found.length - 1 : (searched.chosen + by + found.length) % found.length;
  hover(found[searched.chosen]);
  sayMatched();
  mark.scrollIntoView({ block: "nearest" });
}

// Searches for what was typed.
export function look(): void {
  clearTimeout(timer);
  if (input.value === searched.pattern) return;
  search(input.value);
  remember(false);
}

function addInput(): HTMLInputElement {
  const box = element("foreignObject", { y: 8, width: 180, height: 26, "data-right": 190 });
  const field = document.createElementNS("http://www.w3.org/1999/xhtml", "input") as HTMLInputElement;
  const attributes = { type: "search", placeholder: "Search", "aria-label": "Search by regular expression", spellcheck: "false" };
  for (const [key, value] of Object.entries(attributes)) field.setAttribute(key, value);
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 120);
  });
  box.append(field);
  head.append(box);
  return field;
}
