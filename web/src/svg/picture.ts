// The picture as it is now: its elements, and what of the nodes is shown.
import { start, total } from "./nodes";

export const pad = 10;
export const top = 62;
export const row = flame.row;
export const font = flame.font;
export const rows = flame.rows;

export const svg = (document.currentScript as unknown as SVGScriptElement).ownerSVGElement!;
export const part = (id: string) => svg.getElementById(id) as SVGGraphicsElement;
export const text = (id: string) => part(id) as SVGTextContentElement;
export const frames = part("frames");
export const head = part("head");
export const mark = part("mark");
export const tip = part("tip");
export const details = text("details");
export const matched = part("matched");
export const reset = part("reset");

export const view = {
  zoomed: 0,
  hovered: -1,
  inverted: flame.inverted,
  width: 1200,
  glyph: 0.61 * font, // the width of a letter
  hits: null as boolean[] | null, // by name
  drawn: [] as number[][], // nodes, by depth
  found: [] as number[], // drawn nodes that match
};

export function element<Tag extends keyof SVGElementTagNameMap>(tag: Tag, attributes: Record<string, string | number>, content?: string): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const key in attributes) made.setAttribute(key, String(attributes[key]));
  if (content !== undefined) made.textContent = content;
  return made;
}

export const yOf = (depth: number) => top + row * (view.inverted ? depth : rows - 1 - depth);

// Where node i stands now: [left, width] in pixels.
export function place(i: number): [number, number] {
  const inner = view.width - 2 * pad;
  if (i <= view.zoomed) return [pad, inner];
  const scale = inner / total[view.zoomed];
  return [pad + (start[i] - start[view.zoomed]) * scale, total[i] * scale];
}

// Cuts a line of text where less than `taken` pixels would be left on its right.
export function fit(line: SVGTextContentElement, taken: number): void {
  const whole = (line.dataset.whole ??= line.textContent!);
  const letters = Array.from(whole);
  const room = view.width - 2 * pad - taken;
  line.textContent = whole;
  const length = line.getComputedTextLength();
  if (length <= room) return;
  const most = Math.floor((letters.length * room) / length) - 2;
  line.textContent = most < 3 ? "" : letters.slice(0, most).join("") + "\u2026";
}

export function sayDetails(content: string): void {
  details.textContent = content;
  delete details.dataset.whole;
  fit(details, 0);
}
