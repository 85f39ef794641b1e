// Functions with self and total, as a real table: sortable, searchable, and what a screen reader reads.
import { useMemo, useState } from "preact/hooks";
import { amount, percent, signed } from "../format";
import { kindNames } from "../profile";
import { cssOf, kindColour } from "../palette";
import type { SortKey } from "../state";
import { topFunctions, type TopRow } from "../top";
import { placeOf } from "./describe";
import { actions, nameOf, useModel, type Model } from "./model";

const pageSize = 250;

interface Column {
  key: SortKey;
  title: string;
  of(row: TopRow): number;
}

const plainColumns: Column[] = [
  { key: "self", title: "Self", of: (row) => row.self },
  { key: "total", title: "Total", of: (row) => row.total },
];
const diffColumns: Column[] = [
  { key: "beforeSelf", title: "Self before", of: (row) => row.beforeSelf },
  { key: "afterSelf", title: "Self after", of: (row) => row.afterSelf },
  { key: "selfChange", title: "Change of self", of: (row) => row.afterSelf - row.beforeSelf },
  { key: "before", title: "Total before", of: (row) => row.before },
  { key: "after", title: "Total after", of: (row) => row.after },
  { key: "change", title: "Change of total", of: (row) => row.after - row.before },
];

export function columnsOf(model: Model): Column[] {
  return model.profile.differential ? diffColumns : plainColumns;
}

const isChange = (key: SortKey) => key === "change" || key === "selfChange";

// Sorted as the state says; only what the search matches.
export function useRows(model: Model): TopRow[] {
  const { tree, functions, state, found } = model;
  const all = useMemo(() => topFunctions(tree, functions.name.length), [tree, functions]);
  return useMemo(() => {
    const rows = found ? all.filter((row) => found.match[row.fn]) : all.slice();
    const column = columnsOf(model).find(({ key }) => key === state.sort);
    const way = state.ascending ? 1 : -1;
    if (!column) return rows.sort((a, b) => -way * (b.fn - a.fn));
    const of = isChange(column.key) && !state.ascending ? (row: TopRow) => Math.abs(column.of(row)) : column.of;
    return rows.sort((a, b) => way * (of(a) - of(b)) || b.total - a.total || a.fn - b.fn);
  }, [all, found, state.sort, state.ascending]);
}

export function TableView() {
  const model = useModel();
  const { state, store, whole, type, functions } = model;
  const rows = useRows(model);
  const [shown, setShown] = useState(pageSize);
  const columns = columnsOf(model);
  const sortBy = (key: SortKey) =>
    store.set({ sort: key, ascending: state.sort === key ? !state.ascending : key === "name" });
  const heading = (key: SortKey, title: string, kind: string) => (
    <th scope="col" class={kind} aria-sort={state.sort === key ? (state.ascending ? "ascending" : "descending") : "none"}>
      <button onClick={() => sortBy(key)}>{title}<span aria-hidden="true">{state.sort === key ? (state.ascending ? " ▲" : " ▼") : ""}</span></button>
    </th>
  );
  return (
    <section class="view table-view" aria-label="Functions">
      <table>
        <caption class="sr-only">{rows.length} functions by {state.sort}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title }) => heading(key, title, "number"))}
            {heading("name", "Function", "name")}
            <th scope="col" class="where">Where</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <tr key={row.fn}>
              {columns.map((column) => <Cell model={model} column={column} value={column.of(row)} whole={whole} />)}
              <td class="name">
                <i class="dot" title={kindNames[functions.kind[row.fn]]} style={{ background: cssOf(kindColour(functions.kind[row.fn], model.palette.dark)) }} />
                <button onClick={() => actions.sandwich(model, row.fn)} title="Callers and callees"><bdi>{nameOf(model, row.fn)}</bdi></button>
                {model.profile.differential && <Badge row={row} />}
              </td>
              <td class="where">{placeOf(functions, row.fn)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">No function matches.</p>}
      {rows.length > shown && (
        <button class="more" onClick={() => setShown(shown + 4 * pageSize)}>Show more ({(rows.length - shown).toLocaleString("en-US")} left)</button>
      )}
      <p class="sr-only">Values in {type.unit}.</p>
    </section>
  );
}

function Cell({ model, column, value, whole }: { model: Model; column: Column; value: number; whole: number }) {
  const { type } = model;
  if (isChange(column.key)) {
    const kind = value > 0 ? "more" : value < 0 ? "less" : "same";
    return <td class={`number ${kind}`}>{signed(value, (size) => amount(size, type))}</td>;
  }
  return (
    <td class="number">
      <span class="bar" style={{ width: `${whole > 0 ? (100 * value) / whole : 0}%` }} />
      <span class="amount">{amount(value, type)}</span>
      {!model.profile.differential && <span class="percent">{percent(value, whole)}</span>}
    </td>
  );
}

function Badge({ row }: { row: TopRow }) {
  if (row.before === 0) return <span class="badge more">new</span>;
  if (row.after === 0) return <span class="badge less">vanished</span>;
  return null;
}
