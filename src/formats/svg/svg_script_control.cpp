// The second part of the flame graph's script: search, links, pointer and keys.
#include "formats/svg/svg_assets.h"

namespace wick {
namespace {

constexpr std::string_view kControlScript = R"js(
const rest = details.textContent + " \u2014 click a frame to zoom, ? for keys";
const KEYS = ["Ctrl-F or /   search by regular expression; small letters match capital ones too",
  "n, N   next and previous match", "Esc   end the search, then the zoom", "0   reset the zoom",
  "Arrows   walk from frame to frame", "Enter   zoom to the marked frame",
  "c   copy the marked frame's name", "i   flip: flame graph or icicle"];
let pattern = "", chosen = -1;

function zoom(i) {
  zoomed = i;
  search(pattern);
  remember(true);
}

function search(text) {
  pattern = text;
  hits = null;
  chosen = -1;
  input.classList.remove("bad");
  if (text !== "") {
    try {
      const expression = new RegExp(text, /[A-Z]/.test(text) ? "" : "i");  // as in the report
      hits = flame.names.map(n => expression.test(n));
    } catch (error) { input.classList.add("bad"); }
  }
  draw();
  sayMatched();
}

// The share of what is in view whose stack holds a match; a match on a match counts once.
function sayMatched() {
  matched.textContent = "";
  if (!hits) return;
  const sums = [0, 0], totals = changes ? [changeOf(zoomed, 0), changeOf(zoomed, 1)] : [total[zoomed]];
  for (let i = zoomed; i < end[zoomed];) {
    if (i === 0 || !hits[name[i]]) { i++; continue; }
    totals.forEach((_, which) => sums[which] += changes ? changeOf(i, which) : total[i]);
    i = end[i];
  }
  matched.textContent = "Matched " + totals.map((t, which) => percent(sums[which], t)).join(" \u2192 ") +
    (chosen >= 0 ? " \u00b7 " + (chosen + 1) + "/" + found.length : "");
}

function walkMatches(by) {
  if (!found.length) return;
  chosen = chosen < 0 && by < 0 ? found.length - 1 : (chosen + by + found.length) % found.length;
  hover(found[chosen]);
  sayMatched();
  mark.scrollIntoView({block: "nearest"});
}

// Links go by names, so one still fits when the graph is drawn anew from another profile. Siblings
// of one name are told apart by their number.
function stepOf(i) {
  let same = 0;
  for (let other = parent[i] + 1; other < i; other = end[other]) same += nameOf(other) === nameOf(i);
  return encodeURIComponent(nameOf(i)) + (same ? "@" + same : "");
}

let own = null;
function remember(asStep) {
  const path = [], state = [];
  for (let i = zoomed; i > 0; i = parent[i]) path.unshift(stepOf(i));
  if (path.length) state.push("zoom=" + path.join(";"));
  if (pattern) state.push("search=" + encodeURIComponent(pattern));
  if (inverted !== flame.inverted) state.push("flip=1");
  own = state.join("&");
  if (own === location.hash.slice(1)) return;
  try {
    if (asStep) location.hash = own;
    else history.replaceState(null, "", "#" + own);
  } catch (error) { /* a page that may not keep its state still works */ }
}

function recall() {
  const hash = location.hash.slice(1);
  if (hash === own) return;
  own = hash;
  zoomed = 0;
  inverted = flame.inverted;
  let wanted = "";
  for (const pair of hash.split("&")) {
    const [key, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
    try {
      if (key === "search") wanted = decodeURIComponent(value);
      if (key === "zoom") zoomed = follow(value.split(";"));
      if (key === "flip") inverted = !flame.inverted;
    } catch (error) { /* a link cut short shows the whole graph */ }
  }
  input.value = wanted;
  search(wanted);
}

// As far as the path still exists.
function follow(path) {
  let i = 0;
  for (const step of path) {
    const [text, same] = step.split("@"), wanted = decodeURIComponent(text);
    let child = i + 1, skip = Number(same || 0);
    while (child < end[i] && (nameOf(child) !== wanted || skip-- > 0)) child = end[child];
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

function copyName() {
  const i = hovered < 0 ? zoomed : hovered;
  const say = text => { details.textContent = text + " " + shownName(i); fit0(details); };
  if (!navigator.clipboard) return say("The browser does not let us copy");
  navigator.clipboard.writeText(nameOf(i)).then(() => say("Copied"), () => say("The browser does not let us copy"));
}

const ACTIONS = {
  "0": () => zoom(0),
  n: () => walkMatches(1),
  N: () => walkMatches(-1),
  c: copyName,
  i: () => { inverted = !inverted; draw(); remember(false); },
  "?": () => showTip(KEYS.map(text => ({name: true, text})), PAD, TOP - 18),
  Enter: () => { if (hovered >= 0) zoom(hovered); },
};
ACTIONS.I = ACTIONS.i;

function onKey(event) {
  const typing = event.target === input;
  if ((event.ctrlKey || event.metaKey) && event.key === "f" || event.key === "/" && !typing) {
    event.preventDefault();
    input.focus();
    input.select();
  } else if (event.key === "Escape") {
    input.value = "";
    input.blur();
    if (tip.style.display === "" && tip.children.length) hover(-1);
    else if (pattern) search(""), remember(false);
    else zoom(0);
  } else if (typing && event.key === "Enter") {
    look();
    input.blur();
    walkMatches(event.shiftKey ? -1 : 1);
  } else if (typing || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  } else if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    hover(step(event.key));
    mark.scrollIntoView({block: "nearest"});
  } else if (event.target === reset && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    zoom(0);
  } else if (Object.hasOwn(ACTIONS, event.key)) {
    ACTIONS[event.key]();
  }
}

let timer = 0;
function look() {
  clearTimeout(timer);
  if (input.value === pattern) return;
  search(input.value);
  remember(false);
}

function addInput() {
  const box = element("foreignObject", {y: 8, width: 180, height: 26, "data-right": 190});
  const field = document.createElementNS(HTML, "input");
  for (const [key, value] of [["type", "search"], ["placeholder", "Search"],
                              ["aria-label", "Search by regular expression"], ["spellcheck", "false"]])
    field.setAttribute(key, value);
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 120); });
  box.append(field);
  head.append(box);
  return field;
}

const point = event => {
  const view = svg.getBoundingClientRect();
  return [event.clientX - view.left, event.clientY - view.top];
};
const input = addInput();
svg.removeAttribute("viewBox");
if (!flame.width) svg.setAttribute("width", "100%");
svg.setAttribute("tabindex", "0");
svg.setAttribute("role", "application");
svg.style.outline = "none";
const probe = element("text", {}, "abcdefghijklmnopqrstuvwxyz_:ACE");
frames.append(probe);
glyph = probe.getComputedTextLength() / probe.textContent.length || glyph;
const under = event => head.contains(event.target) ? -1 : at(...point(event));
svg.addEventListener("click", event => { const i = under(event); if (i >= 0) zoom(i); });
svg.addEventListener("pointermove", event => {
  const i = under(event);
  if (i >= 0 || hovered >= 0) hover(i, ...point(event));
});
svg.addEventListener("focus", () => { if (hovered < 0 && svg.matches(":focus-visible")) hover(zoomed); });
svg.addEventListener("pointerleave", () => hover(-1));
reset.addEventListener("click", () => zoom(0));
addEventListener("keydown", onKey);
addEventListener("hashchange", recall);
addEventListener("resize", () => { draw(); sayMatched(); });
// The heading stays in sight; a graph taller than the window opens at its root.
const keepHead = () => head.setAttribute("transform", "translate(0," + Math.max(0, -svg.getBoundingClientRect().top) + ")");
addEventListener("scroll", keepHead);
recall();
if (document.documentElement === svg && !inverted) scrollTo(0, svg.getBoundingClientRect().height);
keepHead();
})();
)js";

}  // namespace

std::string_view svg_control_script() {
  return kControlScript;
}

}  // namespace wick
