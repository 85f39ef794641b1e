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
  const model = useModel();
  const { profile, state, store, type } = model;
  const entries = useMemo(() => entriesOf(profile, state.value), [profile, state.value]);
  const [filter, setFilter] = useState("");
  const whole = entries.reduce((sum, entry) => sum + (entry.level === 0 ? entry.value : 0), 0);
  if (entries.length === 0) return null;
  const chosen = new Set(state.tasks);
  const toggle = (key: string) => {
    if (!chosen.delete(key)) chosen.add(key);
    store.set({ tasks: [...chosen], zoom: [] });
  };
  const shown = entries.filter((entry) => entry.label.toLowerCase().includes(filter.toLowerCase())).slice(0, mostEntries);
  const label = state.tasks.length === 0 ? "All processes" : state.tasks.length === 1 ? state.tasks[0] : `${state.tasks.length} processes`;
  return (
    <Menu id="tasks" label={<bdi>{label}</bdi>} title="Processes and threads (p)" active={state.tasks.length > 0} wide>
      {() => (
        <>
          <div class="panel-head">
            <input type="search" placeholder="Filter" aria-label="Filter processes" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
            <button disabled={state.tasks.length === 0} onClick={() => store.set({ tasks: [], zoom: [] })}>All</button>
          </div>
          <ul class="tasks">
            {shown.map((entry) => (
              <li key={entry.key} style={{ paddingLeft: `${entry.level * 16}px` }}>
                <label>
                  <input type="checkbox" checked={chosen.has(entry.key)} onChange={() => toggle(entry.key)} />
                  <bdi class="name">{entry.label}</bdi>
                  <span class="amount">{amount(entry.value, type)}</span>
                  <span class="percent">{percent(entry.value, whole)}</span>
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
    </Menu>
  );
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
