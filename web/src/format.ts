// Numbers for people.
import type { ValueType } from "./profile";

export function percent(part: number, whole: number): string {
  if (whole <= 0) return "0 %";
  const share = (100 * part) / whole;
  return `${share >= 99.95 || share === 0 ? share.toFixed(0) : share >= 10 ? share.toFixed(1) : share.toFixed(2)} %`;
}

const steps: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const sizes: [number, string][] = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];

function scaled(value: number, table: [number, string][]): string {
  const [unit, name] = table.find(([least]) => Math.abs(value) >= least) ?? table[table.length - 1];
  const shown = value / unit;
  const digits = Math.abs(shown) >= 100 || unit === 1 ? 0 : Math.abs(shown) >= 10 ? 1 : 2;
  return `${shown.toFixed(digits)} ${name}`;
}

const nanos: Record<string, number> = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9 };

export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function amount(value: number, type: ValueType): string {
  if (type.unit in nanos) return scaled(value * nanos[type.unit], steps);
  if (type.unit === "bytes") return scaled(value, sizes);
  return whole(value);
}

// With what it counts: "12 samples", "3.4 s".
export function amountOf(value: number, type: ValueType): string {
  const text = amount(value, type);
  if (type.unit in nanos || type.unit === "bytes") return text;
  const unit = type.unit === "count" ? type.type : type.unit;
  return unit ? `${text} ${unit}` : text;
}

export function signed(value: number, format: (value: number) => string): string {
  if (value === 0) return "0";
  return (value > 0 ? "+" : "−") + format(Math.abs(value));
}

export function valueName(type: ValueType): string {
  return type.unit === "count" || type.unit === "" ? type.type : `${type.type} (${type.unit})`;
}

export function duration(ns: number): string {
  return scaled(ns, steps);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
