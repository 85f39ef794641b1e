// The sub-second heat map: a column a second, a row a fraction of it, a colour for what happened then.
import type { Profile } from "./profile";

export const rowsPerSecond = 50;

export interface Heat {
  columns: number;
  cells: Float64Array; // column by column, from the second's beginning on
  most: number;
}

export const microsPerCell = 1e6 / rowsPerSecond;

export function heatOf(moments: NonNullable<Profile["moments"]>): Heat {
  const { micros, value } = moments;
  const last = micros[micros.length - 1] ?? 0;
  const columns = Math.min(Math.floor(last / 1e6) + 1, 36_000);
  const cells = new Float64Array(columns * rowsPerSecond);
  let most = 0;
  for (let i = 0; i < micros.length; i++) {
    const cell = Math.floor(micros[i] / microsPerCell);
    if (cell >= cells.length) break;
    cells[cell] += value[i] || 1;
    if (cells[cell] > most) most = cells[cell];
  }
  return { columns, cells, most };
}

// Sums over pieces of the time line, for a plot of at most `points`.
export function timeline(heat: Heat, points: number): { seconds: number[]; values: number[] } {
  const cells = heat.cells.length;
  const per = Math.max(1, Math.ceil(cells / points));
  const seconds: number[] = [];
  const values: number[] = [];
  for (let at = 0; at < cells; at += per) {
    let sum = 0;
    for (let i = at; i < Math.min(at + per, cells); i++) sum += heat.cells[i];
    seconds.push((at * microsPerCell) / 1e6);
    values.push(sum);
  }
  return { seconds, values };
}
