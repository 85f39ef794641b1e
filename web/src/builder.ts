// TreeBuilder: grows a tree by (parent, function), in any order, and puts it in order at the end.
//
//   const main = builder.child(0, mainFn);
//   builder.add(builder.child(main, readFn), values, row);
//   const tree = builder.finish("both");
import type { Nodes } from "./profile";
import { makeTree, type Side, type Tree } from "./tree";

export class TreeBuilder {
  private count = 1;
  private parent = new Int32Array(1024);
  private fn = new Int32Array(1024);
  private selves: Float64Array[];
  private readonly index = new PairIndex();

  constructor(values: number) {
    this.fn[0] = this.parent[0] = -1;
    this.selves = Array.from({ length: values }, () => new Float64Array(1024));
  }

  child(parent: number, fn: number): number {
    const found = this.index.find(parent, fn);
    if (found >= 0) return found;
    if (this.count === this.parent.length) this.grow();
    this.parent[this.count] = parent;
    this.fn[this.count] = fn;
    this.index.insert(parent, fn, this.count);
    return this.count++;
  }

  functionOf(node: number): number {
    return this.fn[node];
  }

  add(node: number, from: Float64Array[], at: number): void {
    for (let v = 0; v < this.selves.length; v++) this.selves[v][node] += from[v][at];
  }

  finish(side: Side): Tree {
    const order = this.order();
    const count = this.count;
    const place = new Int32Array(count);
    for (let i = 0; i < count; i++) place[order[i]] = i;
    const nodes: Nodes = {
      count,
      parent: new Int32Array(count),
      depth: new Int32Array(count),
      fn: new Int32Array(count),
      maxDepth: 0,
    };
    nodes.parent[0] = nodes.fn[0] = -1;
    for (let i = 1; i < count; i++) {
      const above = place[this.parent[order[i]]];
      nodes.parent[i] = above;
      nodes.fn[i] = this.fn[order[i]];
      nodes.depth[i] = nodes.depth[above] + 1;
      nodes.maxDepth = Math.max(nodes.maxDepth, nodes.depth[i]);
    }
    return makeTree(nodes, this.selves.map((self) => Float64Array.from(order, (at) => self[at])), side);
  }

  // Depth first, children by function: lists of siblings are linked from the last function to the first.
  private order(): Int32Array {
    const byFunction = this.nodesByFunction();
    const firstChild = new Int32Array(this.count);
    const nextSibling = new Int32Array(this.count);
    for (let i = byFunction.length - 1; i >= 0; i--) {
      const node = byFunction[i];
      nextSibling[node] = firstChild[this.parent[node]];
      firstChild[this.parent[node]] = node;
    }
    const order = new Int32Array(this.count);
    let node = 0;
    for (let i = 1; i < this.count; i++) {
      if (firstChild[node]) node = firstChild[node];
      else {
        while (!nextSibling[node]) node = this.parent[node];
        node = nextSibling[node];
      }
      order[i] = node;
    }
    return order;
  }

  // All but the root, by counting.
  private nodesByFunction(): Int32Array {
    let most = 0;
    for (let i = 1; i < this.count; i++) most = Math.max(most, this.fn[i]);
    const begin = new Int32Array(most + 2);
    for (let i = 1; i < this.count; i++) begin[this.fn[i] + 1]++;
    for (let i = 1; i < begin.length; i++) begin[i] += begin[i - 1];
    const out = new Int32Array(this.count - 1);
    for (let i = 1; i < this.count; i++) out[begin[this.fn[i]]++] = i;
    return out;
  }

  private grow(): void {
    const wider = <T extends Int32Array | Float64Array>(old: T, make: new (n: number) => T) => {
      const out = new make(old.length * 2);
      out.set(old);
      return out;
    };
    this.parent = wider(this.parent, Int32Array);
    this.fn = wider(this.fn, Int32Array);
    this.selves = this.selves.map((self) => wider(self, Float64Array));
  }
}

// Pairs of small numbers to a number: open addressing, a third of Map's time and memory.
export class PairIndex {
  private slots = new Int32Array(4096).fill(-1); // four a slot: a, b, value, unused
  private used = 0;

  find(a: number, b: number): number {
    const at = this.slot(a, b);
    return this.slots[at] < 0 ? -1 : this.slots[at + 2];
  }

  insert(a: number, b: number, value: number): void {
    if (++this.used * 8 > this.slots.length) this.rehash();
    this.put(a, b, value);
  }

  private put(a: number, b: number, value: number): void {
    const at = this.slot(a, b);
    this.slots[at] = a;
    this.slots[at + 1] = b;
    this.slots[at + 2] = value;
  }

  private slot(a: number, b: number): number {
    const capacity = Math.floor(this.slots.length / 4);
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
    hash ^= hash >>> 15;
    let at = (hash >>> 0) % capacity;
    for (;;) {
      const base = at * 4;
      if (this.slots[base] < 0 || (this.slots[base] === a && this.slots[base + 1] === b)) return base;
      at = at + 1 === capacity ? 0 : at + 1;
    }
  }

  private rehash(): void {
    const old = this.slots;
    this.slots = new Int32Array(old.length * 2).fill(-1);
    for (let i = 0; i < old.length; i += 4) if (old[i] >= 0) this.put(old[i], old[i + 1], old[i + 2]);
  }
}
