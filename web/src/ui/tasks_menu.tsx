// Which processes and threads are looked at.
import { useMemo, useState } from "preact/hooks";
import { amount, percent } from "../format";
import { taskKey } from "../selection";
import type { Profile } from "../profile";
import { Menu } from "./menu";
import { useModel } from "./model";

interface Entry {
  key: string;
  label: string;
  level: number;
  value: number;
}

const mostEntries = 400;

export function TasksMenu() {
  const { profile, state, store } = useModel();
  const entries = useMemo(() => entriesOf(profile, state.value), [profile, state.value]);
  const labels = useMemo(() => labelsOf(profile, state.value), [profile, state.value]);
  const [filter, setFilter] = useState("");
  if (entries.length === 0) return null;
  const active = state.tasks.length > 0 || state.labels.length > 0;
  const label = state.tasks.length === 0 ? "All processes" : state.tasks.length === 1 ? state.tasks[0] : `${state.tasks.length} processes`;
  return (
    <Menu id="tasks" label={<bdi>{label}</bdi>} title="Processes and threads (p)" active={active} wide>
      {() => (
        <>
          <div class="panel-head">
            <input type="search" placeholder="Filter" aria-label="Filter processes" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
            <button disabled={!active} onClick={() => store.set({ tasks: [], labels: [], zoom: [] })}>All</button>
          </div>
          <Choices entries={entries} filter={filter} chosen={state.tasks} choose={(tasks) => store.set({ tasks, zoom: [] })} />
          {labels.length > 0 && <h3>Labels</h3>}
          {labels.length > 0 && <Choices entries={labels} filter={filter} chosen={state.labels} choose={(list) => store.set({ labels: list, zoom: [] })} />}
        </>
      )}
    </Menu>
  );
}

interface ChoicesProps {
  entries: Entry[];
  filter: string;
  chosen: string[];
  choose(keys: string[]): void;
}

function Choices({ entries, filter, chosen, choose }: ChoicesProps) {
  const { type } = useModel();
  const whole = entries.reduce((sum, entry) => sum + (entry.level === 0 ? entry.value : 0), 0);
  const shown = entries.filter((entry) => entry.label.toLowerCase().includes(filter.toLowerCase())).slice(0, mostEntries);
  const toggle = (key: string) => choose(chosen.includes(key) ? chosen.filter((other) => other !== key) : [...chosen, key]);
  return (
    <ul class="tasks">
      {shown.map((entry) => (
        <li key={entry.key} style={{ paddingLeft: `${entry.level * 16}px` }}>
          <label>
            <input type="checkbox" checked={chosen.includes(entry.key)} onChange={() => toggle(entry.key)} />
            <bdi class="name">{entry.label}</bdi>
            <span class="amount">{amount(entry.value, type)}</span>
            <span class="percent">{percent(entry.value, whole)}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}

function labelsOf(profile: Profile, value: number): Entry[] {
  if (profile.labels.length < 2) return [];
  const sums = new Float64Array(profile.labels.length);
  profile.rows.values[value]?.forEach((amount: number, row: number) => (sums[profile.rows.label[row]] += amount));
  return profile.labels
    .map((label, i) => ({ key: label, label: label || "(none)", level: 0, value: sums[i] }))
    .filter((entry) => entry.value > 0)
    .sort((a, b) => b.value - a.value);
}

// By name, then PID, then TID; a level with one entry only is left out.
function entriesOf(profile: Profile, value: number): Entry[] {
  const { comm, pid, tid } = profile.tasks;
  const sums = new Float64Array(comm.length);
  profile.rows.values[value]?.forEach((amount: number, row: number) => (sums[profile.rows.task[row]] += amount));
  const tree = new Map<string, Map<number, Map<number, number>>>();
  comm.forEach((name, i) => {
    const pids = tree.get(name) ?? new Map<number, Map<number, number>>();
    const tids = pids.get(pid[i]) ?? new Map<number, number>();
    tids.set(tid[i], (tids.get(tid[i]) ?? 0) + sums[i]);
    pids.set(pid[i], tids);
    tree.set(name, pids);
  });
  const add = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);
  const names = [...tree].map(([name, pids]) => ({ name, pids, value: add([...pids.values()].map((tids) => add(tids.values()))) }));
  const out: Entry[] = [];
  for (const { name, pids, value: sum } of names.sort((a, b) => b.value - a.value)) {
    const only = pids.size === 1 ? [...pids.keys()][0] : 0;
    out.push({ key: taskKey(name), label: `${name || "(no name)"}${only ? ` ${only}` : ""}`, level: 0, value: sum });
    const byValue = [...pids].map(([id, tids]) => ({ id, tids, value: add(tids.values()) })).sort((a, b) => b.value - a.value);
    for (const { id, tids, value: part } of byValue) {
      if (pids.size > 1) out.push({ key: taskKey(name, id), label: `PID ${id}`, level: 1, value: part });
      if (tids.size < 2) continue;
      const level = pids.size > 1 ? 2 : 1;
      for (const [thread, amount] of [...tids].sort((a, b) => b[1] - a[1]))
        out.push({ key: taskKey(name, id, thread), label: `TID ${thread}`, level, value: amount });
    }
  }
  return out;
}
