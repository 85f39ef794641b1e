// What write_svg (src/formats/svg) writes in front of this script, as the constant `flame`.
export interface Flame {
  rows: number;
  row: number; // a row's height in pixels
  font: number;
  width: number; // 0: as wide as the window
  factor: number; // of every value that is shown
  inverted: boolean;
  unit: string;
  nameType: string;
  nodes: string; // four numbers of base 36 each: levels to climb, gap to the left, total, name
  changes?: string; // of a differential, four each: before, after, and the same of the node alone
  levels: string; // of a differential, a letter each
  plainLabels: boolean;
  kinds: string[];
  kindOf: string; // by name, a digit each
  looks: string; // by name
  names: string[];
}

declare global {
  const flame: Flame;
}
