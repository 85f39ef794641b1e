// The state in the URL's fragment: only what differs from how the report opens. Zoom is by names, not by
// pixels, so a link holds on any screen, and mostly for the next profile too.
import { views, type SortKey, type State, type Theme, type View } from "./state";
import type { Grouping } from "./derive";
import type { Side } from "./tree";

const lists = ["zoom", "focus", "hide", "tasks", "labels"] as const;
const flags = ["inverted", "reverse", "collapse", "ascending"] as const;
const texts = ["view", "side", "colour", "group", "search", "fn", "sort", "theme"] as const;

export function toFragment(state: State, initial: State): string {
  const out = new URLSearchParams();
  for (const key of texts) if (state[key] !== initial[key]) out.set(key, state[key]);
  for (const key of flags) if (state[key] !== initial[key]) out.set(key, state[key] ? "1" : "0");
  for (const key of lists) for (const item of state[key]) out.append(key, item);
  if (state.value !== initial.value) out.set("value", String(state.value));
  if (state.time) out.set("time", state.time.join("-"));
  return out.toString();
}

// Links come from anywhere: what makes no sense is left out.
export function fromFragment(fragment: string, initial: State, valueCount: number): State {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const one = <T extends string>(key: string, allowed: readonly T[], otherwise: T): T =>
    allowed.find((item) => item === given.get(key)) ?? otherwise;
  const flag = (key: (typeof flags)[number]) => (given.has(key) ? given.get(key) === "1" : initial[key]);
  const value = Number(given.get("value") ?? initial.value);
  return {
    ...initial,
    view: one<View>("view", views, initial.view),
    side: one<Side>("side", ["both", "before", "after"], initial.side),
    colour: one<State["colour"]>("colour", ["total", "self"], initial.colour),
    group: one<Grouping>("group", ["comm", "pid", "tid", "none"], initial.group),
    sort: one<SortKey>("sort", sortKeys, initial.sort),
    theme: one<Theme>("theme", ["auto", "light", "dark"], initial.theme),
    search: given.get("search") ?? "",
    fn: given.get("fn") ?? "",
    inverted: flag("inverted"),
    reverse: flag("reverse"),
    collapse: flag("collapse"),
    ascending: flag("ascending"),
    zoom: given.getAll("zoom"),
    focus: given.getAll("focus"),
    hide: given.getAll("hide"),
    tasks: given.getAll("tasks"),
    labels: given.getAll("labels"),
    value: Number.isInteger(value) && value >= 0 && value < valueCount ? value : initial.value,
    time: timeOf(given.get("time")),
  };
}

const sortKeys: SortKey[] = [
  "name", "self", "total", "beforeSelf", "afterSelf", "before", "after", "selfChange", "change",
];

function timeOf(text: string | null): [number, number] | null {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "");
  if (!match) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return from < to ? [from, to] : null;
}
