// The trees a person looks at, made from the profile: whole, rearranged, or seen from one function.
import { PairIndex, TreeBuilder } from "./builder";
import { Kind, type Functions, type Nodes, type Profile } from "./profile";
import { matching, rowWeights, tryRegExp, type Selection } from "./selection";
import { makeTree, type Side, type Tree } from "./tree";

export type Grouping = "comm" | "pid" | "tid" | "none";

export interface Shape {
  side: Side;
  group: Grouping;
  hide: string[]; // regular expressions: functions left out, their callees stay
  collapse: boolean; // a function that calls itself is one frame
  reverse: boolean; // the leaf is the root: who calls what costs
}

// `functions` is the profile's, with those of groups behind.
export interface Derived {
  tree: Tree;
  functions: Functions;
}

export function deriveTree(profile: Profile, selection: Selection, shape: Shape): Derived {
  const weights = rowWeights(profile, selection);
  const regroup = shape.group === "pid" || shape.group === "tid";
  let { tree, functions } = regroup
    ? grouped(profile, weights, shape)
    : { tree: plain(profile, weights, shape.side), functions: profile.functions };
  if (shape.hide.length > 0 || shape.collapse || shape.group === "none") tree = reduced(tree, functions, shape);
  if (shape.reverse) tree = reversed(tree, shape.side);
  return { tree, functions };
}

function plain(profile: Profile, weights: Float64Array[], side: Side): Tree {
  const selves = weights.map((weight) => {
    const self = new Float64Array(profile.nodes.count);
    for (let r = 0; r < weight.length; r++) self[profile.rows.node[r]] += weight[r];
    return self;
  });
  return makeTree(profile.nodes, selves, side);
}

export function selvesOf(tree: Tree): Float64Array[] {
  return tree.diff ? [tree.diff.beforeSelf, tree.diff.afterSelf] : [tree.self];
}

// The first level by process or thread instead of by name.
function grouped(profile: Profile, weights: Float64Array[], shape: Shape): Derived {
  const { nodes, rows, tasks } = profile;
  const byThread = shape.group === "tid";
  const known = new Map<string, number>(); // label to function
  const groupOf = tasks.comm.map((comm, i) => {
    const thread = byThread && tasks.tid[i] ? `/${tasks.tid[i]}` : "";
    const label = tasks.pid[i] ? `${comm} (${tasks.pid[i]}${thread})` : comm;
    if (!known.has(label)) known.set(label, profile.functions.name.length + known.size);
    return known.get(label)!;
  });
  const builder = new TreeBuilder(weights.length);
  const made = new PairIndex();
  const pending: number[] = []; // nodes that the group does not have yet, leaf first
  const place = (leaf: number, group: number): number => {
    let node = leaf;
    for (; node > 0 && made.find(node, group) < 0; node = nodes.parent[node]) pending.push(node);
    let at = node > 0 ? made.find(node, group) : builder.child(0, group);
    while (pending.length > 0) {
      node = pending.pop()!;
      const isTask = profile.functions.kind[nodes.fn[node]] === Kind.task;
      if (!isTask) at = builder.child(at, nodes.fn[node]);
      made.insert(node, group, at);
    }
    return at;
  };
  for (let r = 0; r < rows.node.length; r++) {
    if (weights.every((weight) => weight[r] === 0)) continue;
    builder.add(place(rows.node[r], groupOf[rows.task[r]]), weights, r);
  }
  return { tree: builder.finish(shape.side), functions: withLabels(profile.functions, [...known.keys()]) };
}

// The profile's functions with one more for each label.
function withLabels(functions: Functions, labels: string[]): Functions {
  const none = labels.map(() => "");
  const kind = new Uint8Array(functions.name.length + labels.length).fill(Kind.task);
  kind.set(functions.kind);
  return {
    name: functions.name.concat(labels),
    kind,
    path: functions.path.concat(none),
    file: functions.file.concat(none),
    line: functions.line,
  };
}

function reduced(tree: Tree, functions: Functions, shape: Shape): Tree {
  const hidden = new Uint8Array(functions.name.length);
  for (const text of shape.hide)
    matching(functions.name, tryRegExp(text)).forEach((match, fn) => (hidden[fn] |= match));
  if (shape.group === "none") functions.kind.forEach((kind, fn) => (hidden[fn] |= kind === Kind.task ? 1 : 0));
  const selves = selvesOf(tree);
  const builder = new TreeBuilder(selves.length);
  const at = new Int32Array(tree.count);
  builder.add(0, selves, 0);
  for (let i = 1; i < tree.count; i++) {
    if (tree.total[i] === 0) continue;
    const above = at[tree.parent[i]];
    const same = shape.collapse && above > 0 && builder.functionOf(above) === tree.fn[i];
    at[i] = hidden[tree.fn[i]] || same ? above : builder.child(above, tree.fn[i]);
    builder.add(at[i], selves, i);
  }
  return builder.finish(shape.side);
}

function reversed(tree: Tree, side: Side): Tree {
  const selves = selvesOf(tree);
  const builder = new TreeBuilder(selves.length);
  for (let i = 0; i < tree.count; i++) {
    if (selves.every((self) => self[i] === 0)) continue;
    builder.add(climb(tree, i, builder), selves, i);
  }
  return builder.finish(side);
}

// The path from the node to the root, in a tree that grows from the node.
function climb(tree: Nodes, node: number, builder: TreeBuilder): number {
  let at = 0;
  for (let up = node; up > 0; up = tree.parent[up]) at = builder.child(at, tree.fn[up]);
  return at;
}

// Where the function stands outermost: inside itself it is not counted again.
export function outermost(tree: Tree, fn: number): number[] {
  const found: number[] = [];
  const inside = new Uint8Array(tree.count);
  for (let i = 1; i < tree.count; i++) {
    const above = inside[tree.parent[i]];
    inside[i] = above | (tree.fn[i] === fn ? 1 : 0);
    if (!above && inside[i] && tree.total[i] > 0) found.push(i);
  }
  return found;
}

// Both have the function as their only first node.
export function callersOf(tree: Tree, fn: number, side: Side): Tree {
  const totals = tree.diff ? [tree.diff.before, tree.diff.after] : [tree.total];
  const builder = new TreeBuilder(totals.length);
  for (const node of outermost(tree, fn)) builder.add(climb(tree, node, builder), totals, node);
  return builder.finish(side);
}

export function calleesOf(tree: Tree, fn: number, side: Side): Tree {
  const selves = selvesOf(tree);
  const builder = new TreeBuilder(selves.length);
  const at = new Int32Array(tree.count);
  for (const node of outermost(tree, fn)) {
    at[node] = builder.child(0, fn);
    builder.add(at[node], selves, node);
    for (let i = node + 1; i < tree.count && tree.depth[i] > tree.depth[node]; i++) {
      at[i] = builder.child(at[tree.parent[i]], tree.fn[i]);
      builder.add(at[i], selves, i);
    }
  }
  return builder.finish(side);
}
