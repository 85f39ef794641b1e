import { useRef } from "preact/hooks";
import { percent, valueName } from "../format";
import { nextMatch } from "../search";
import type { View } from "../state";
import { ExportMenu } from "./export_menu";
import { actions, useModel, type Model } from "./model";
import { TasksMenu } from "./tasks_menu";
import { ViewMenu } from "./view_menu";

const titles: Record<View, string> = { flame: "Flame graph", sandwich: "Sandwich", table: "Table", graph: "Call graph", heat: "Heat map" };

export function viewsOf(model: Model): View[] {
  const all: View[] = ["flame", "sandwich", "table", "graph"];
  return model.profile.moments ? [...all, "heat"] : all;
}

export function Toolbar({ onKeys }: { onKeys(): void }) {
  const model = useModel();
  const { profile, state, store } = model;
  return (
    <header>
      <h1><bdi>{profile.title}</bdi></h1>
      <div class="tabs" role="tablist" aria-label="Views">
        {viewsOf(model).map((view) => (
          <button key={view} id={`tab-${view}`} role="tab" aria-selected={state.view === view} onClick={() => store.set({ view })}>{titles[view]}</button>
        ))}
      </div>
      <span class="space" />
      {!profile.differential && profile.values.length > 1 && (
        <select id="value" aria-label="Value" title="What is counted (v)" value={state.value} onChange={(event) => store.set({ value: Number(event.currentTarget.value) })}>
          {profile.values.map((type, i) => <option value={i}>{valueName(type)}</option>)}
        </select>
      )}
      <TasksMenu />
      <ViewMenu />
      <ExportMenu />
      <Search />
      <button id="theme" title="Light or dark (t)" aria-label="Light or dark" onClick={() => nextTheme(model)}>{model.palette.dark ? "☾" : "☀"}</button>
      <button id="help" title="Keys (?)" aria-label="Keys" onClick={onKeys}>?</button>
    </header>
  );
}

export function nextTheme(model: Model): void {
  model.store.set({ theme: model.palette.dark ? "light" : "dark" });
}

export function moveToMatch(model: Model, forward: boolean): void {
  if (!model.found) return;
  const node = nextMatch(model.found, model.chosen, forward);
  if (node < 0) return;
  if (model.state.view !== "flame") model.store.set({ view: "flame" });
  model.choose(node);
}

function Search() {
  const model = useModel();
  const { found, state, store, whole } = model;
  const pending = useRef(0);
  const input = (text: string) => {
    clearTimeout(pending.current);
    // Typing stays fluent where a search takes longer than a key.
    pending.current = window.setTimeout(() => store.set({ search: text }), model.tree.count > 500_000 ? 250 : 30);
  };
  const result = !found ? "" : !found.valid ? "not a regular expression" : found.nodes.length === 0 ? "no match" : percent(found.value, whole);
  return (
    <div class="search" role="search">
      <input id="search" type="search" placeholder="Search (regular expression)" aria-label="Search for functions" spellcheck={false} autocomplete="off"
        value={state.search} onInput={(event) => input(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") moveToMatch(model, !event.shiftKey);
          if (event.key === "Escape") {
            store.set({ search: "" });
            event.currentTarget.blur();
          }
        }} />
      <output id="matched" for="search" class={found && (!found.valid || found.nodes.length === 0) ? "none" : ""} title="Share of all that matches">{result}</output>
      <button aria-label="Previous match" title="Previous match (N)" disabled={!found?.nodes.length} onClick={() => moveToMatch(model, false)}>‹</button>
      <button aria-label="Next match" title="Next match (n)" disabled={!found?.nodes.length} onClick={() => moveToMatch(model, true)}>›</button>
    </div>
  );
}

// What restricts the picture, each with a way to take it off.
export function Chips() {
  const model = useModel();
  const { state, store } = model;
  const without = (list: string[], item: string) => list.filter((other) => other !== item);
  const chips: [label: string, text: string, remove: () => void][] = [
    ...state.tasks.map((key): [string, string, () => void] => ["only", key, () => store.set({ tasks: without(state.tasks, key), zoom: [] })]),
    ...state.labels.map((text): [string, string, () => void] => ["label", text, () => store.set({ labels: without(state.labels, text), zoom: [] })]),
    ...state.focus.map((text): [string, string, () => void] => ["focus", text, () => store.set({ focus: without(state.focus, text), zoom: [] })]),
    ...state.hide.map((text): [string, string, () => void] => ["hidden", text, () => store.set({ hide: without(state.hide, text), zoom: [] })]),
  ];
  if (state.time) {
    const [from, to] = state.time.map((at) => (at / 1e6).toFixed(2));
    chips.push(["time", `${from} to ${to} s`, () => store.set({ time: null, zoom: [] })]);
  }
  if (state.collapse) chips.push(["", "recursion collapsed", () => store.set({ collapse: false, zoom: [] })]);
  if (state.reverse) chips.push(["", "leaf first", () => store.set({ reverse: false, zoom: [] })]);
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {chips.map(([label, text, remove]) => (
        <li><b>{label}</b> <bdi>{text}</bdi><button aria-label={`Remove ${label} ${text}`} onClick={remove}>×</button></li>
      ))}
      <li class="clear"><button onClick={() => actions.reset(model)}>Remove all</button></li>
    </ul>
  );
}
