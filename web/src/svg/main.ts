// The script of an SVG flame graph. Without it (an <img>, a PDF) the static picture stays. It stands in
// CDATA behind the constant `flame` (flame.ts): build.mjs checks that nothing in it ends that.
import { at, draw } from "./draw";
import "./flame";
import { hover } from "./hover";
import { onKey } from "./keys";
import { recall } from "./links";
import { element, frames, head, reset, svg, view } from "./picture";
import { sayMatched, zoom } from "./search";

const point = (event: MouseEvent): [number, number] => {
  const seen = svg.getBoundingClientRect();
  return [event.clientX - seen.left, event.clientY - seen.top];
};
const under = (event: MouseEvent) => (head.contains(event.target as Node) ? -1 : at(...point(event)));

function prepare(): void {
  svg.removeAttribute("viewBox");
  if (!flame.width) svg.setAttribute("width", "100%");
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "application");
  svg.style.outline = "none";
  const probe = element("text", {}, "abcdefghijklmnopqrstuvwxyz_:ACE");
  frames.append(probe);
  view.glyph = probe.getComputedTextLength() / probe.textContent!.length || view.glyph;
}

// The heading stays in sight.
const keepHead = () => head.setAttribute("transform", "translate(0," + Math.max(0, -svg.getBoundingClientRect().top) + ")");

function listen(): void {
  svg.addEventListener("click", (event) => {
    const i = under(event);
    if (i >= 0) zoom(i);
  });
  svg.addEventListener("pointermove", (event) => {
    const i = under(event);
    if (i >= 0 || view.hovered >= 0) hover(i, ...point(event));
  });
  svg.addEventListener("focus", () => {
    if (view.hovered < 0 && svg.matches(":focus-visible")) hover(view.zoomed);
  });
  svg.addEventListener("pointerleave", () => hover(-1));
  reset.addEventListener("click", () => zoom(0));
  addEventListener("keydown", onKey);
  addEventListener("hashchange", recall);
  addEventListener("resize", () => {
    draw();
    sayMatched();
  });
  addEventListener("scroll", keepHead);
}

prepare();
listen();
recall();
// A graph taller than the window opens at its root.
if (svg.isSameNode(document.documentElement) && !view.inverted) scrollTo(0, svg.getBoundingClientRect().height);
keepHead();
