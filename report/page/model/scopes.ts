/** The tree of module scopes, with repeated blocks as one. */

import type { Kernel, ScopeAggregate } from "../contract/report.ts";
import { largest } from "./largest.ts";

/** A scope, or several repeated ones that are shown as one. */
export interface ScopeNode {
  /** Unique: the name of the first scope, and how many there are. */
  readonly key: string;
  /** The last part of the name; of repeated ones with the range of their numbers. */
  readonly title: string;
  /** Full names of all scopes of the node. */
  readonly names: readonly string[];
  readonly members: readonly ScopeAggregate[];
  /** Sum over the members. */
  readonly ns: number;
  /** Of the kernels that are in no inner scope. */
  readonly ownNs: number;
  readonly least: number;
  readonly most: number;
  readonly kernels: number;
  readonly ratio: number | null;
  /** That takes most of the time. */
  readonly category: string;
  readonly children: readonly ScopeNode[];
  readonly text: string;
}

interface Plain {
  scope: ScopeAggregate;
  children: Plain[];
  /** What the inside looks like, with all numbers left out. */
  signature: string;
}

/** The roots of the tree. `fold` puts repeated neighbours together. */
export function scopeTree(scopes: readonly ScopeAggregate[], kernels: readonly Kernel[], fold: boolean): ScopeNode[] {
  const plain = new Map<string, Plain>(scopes.map((scope) => [scope.name, { scope, children: [], signature: "" }]));
  const roots: Plain[] = [];
  for (const one of plain.values()) (parentOf(one.scope.name, plain)?.children ?? roots).push(one);
  const order = firstKernels(scopes, kernels);
  const sign = (one: Plain): string => {
    one.children.sort((a, b) => order.get(a.scope.name)! - order.get(b.scope.name)!);
    one.signature = `${withoutNumbers(lastPart(one))}/${one.scope.own_kernels}(${one.children.map(sign).join(",")})`;
    return one.signature;
  };
  roots.sort((a, b) => order.get(a.scope.name)! - order.get(b.scope.name)!);
  roots.forEach(sign);
  const categories = categoriesOf(kernels);
  return group(roots, fold).map((members) => merge(members, fold, categories, null));
}

/** The last part of a scope's name below its parent. */
function lastPart(one: Plain): string {
  const { name } = one.scope;
  return name.slice(name.lastIndexOf(".") + 1) || name;
}

const withoutNumbers = (text: string): string => text.replace(/\d+/g, "#");

function parentOf(name: string, all: ReadonlyMap<string, Plain>): Plain | undefined {
  for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
    const found = all.get(name.slice(0, end));
    if (found) return found;
  }
  return undefined;
}

/** For each scope the place of its first kernel, so that scopes are in the order in which they run. */
function firstKernels(scopes: readonly ScopeAggregate[], kernels: readonly Kernel[]): Map<string, number> {
  const order = new Map<string, number>();
  kernels.forEach((kernel, place) => {
    for (let name = kernel.scope; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
      if (!order.has(name)) order.set(name, place);
    }
  });
  scopes.forEach((scope, place) => {
    if (!order.has(scope.name)) order.set(scope.name, kernels.length + place);
  });
  return order;
}

/** Time by category of each scope with everything inside it. */
function categoriesOf(kernels: readonly Kernel[]): Map<string, Map<string, number>> {
  const sums = new Map<string, Map<string, number>>();
  for (const kernel of kernels) {
    for (let name = kernel.scope; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
      const mine = sums.get(name) ?? new Map<string, number>();
      mine.set(kernel.category, (mine.get(kernel.category) ?? 0) + (kernel.duration_ns ?? 0));
      sums.set(name, mine);
    }
  }
  return sums;
}

/** Neighbours that belong together: those that are alike but for numbers, two or more of them, wherever among their siblings they are. */
function group(siblings: readonly Plain[], fold: boolean): Plain[][] {
  const groups = new Map<string, Plain[]>();
  siblings.forEach((one, place) => {
    // Without a number in its name a scope is itself.
    const key = fold && /\d/.test(lastPart(one)) ? one.signature : `${place}`;
    const mine = groups.get(key);
    if (mine) mine.push(one);
    else groups.set(key, [one]);
  });
  return [...groups.values()];
}

function merge(
  members: readonly Plain[],
  fold: boolean,
  categories: ReadonlyMap<string, ReadonlyMap<string, number>>,
  parents: number | null,
): ScopeNode {
  const first = members[0]!;
  // Members are alike, so that their children correspond by place.
  const children = group(first.children, fold).map((found) => {
    const places = found.map((one) => first.children.indexOf(one));
    return merge(
      members.flatMap((member) => places.map((place) => member.children[place]!)),
      fold,
      categories,
      members.length,
    );
  });
  const times = members.map((one) => one.scope.duration_ns ?? 0);
  const sums = new Map<string, number>();
  for (const one of members) {
    for (const [name, ns] of categories.get(one.scope.name) ?? []) sums.set(name, (sums.get(name) ?? 0) + ns);
  }
  const names = members.map((one) => one.scope.name);
  return {
    key: `${first.scope.name}*${members.length}`,
    title: titleOf(members.map(lastPart), members.length === parents),
    names,
    members: members.map((one) => one.scope),
    ns: times.reduce((a, b) => a + b, 0),
    ownNs: members.reduce((sum, one) => sum + (one.scope.own_duration_ns ?? 0), 0),
    least: times.reduce((a, b) => Math.min(a, b)),
    most: largest(times),
    kernels: members.reduce((sum, one) => sum + one.scope.kernels, 0),
    ratio: members.every((one) => one.scope.ratio === null)
      ? null
      : members.reduce((sum, one) => sum + (one.scope.ratio ?? 0), 0),
    category: [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "other",
    children,
    text: names.join(" ").toLowerCase(),
  };
}

/** One name, or a common one with the range of what differs, such as `layer.[0-3]`. */
function titleOf(parts: readonly string[], oneOfEach: boolean): string {
  const distinct = [...new Set(parts)];
  if (distinct.length === 1) return distinct[0]!;
  if (oneOfEach) return withoutNumbers(distinct[0]!);
  const first = distinct[0]!, last = distinct.at(-1)!;
  let start = 0, end = 0;
  while (first[start] === last[start] && start < Math.min(first.length, last.length)) start++;
  while (end < Math.min(first.length, last.length) - start && first.at(-1 - end) === last.at(-1 - end)) end++;
  // Digits that both begin or end with belong to the numbers.
  while (start > 0 && /\d/.test(first[start - 1]!)) start--;
  while (end > 0 && /\d/.test(first.at(-end)!)) end--;
  return `${first.slice(0, start)}[${first.slice(start, first.length - end)}–${last.slice(start, last.length - end)}]${
    end > 0 ? first.slice(-end) : ""
  }`;
}

/** The nodes on the way to the one that has a scope, that one last; empty if there is none. */
export function pathTo(roots: readonly ScopeNode[], name: string): ScopeNode[] {
  for (const node of roots) {
    const inner = pathTo(node.children, name);
    if (inner.length > 0) return [node, ...inner];
    if (node.names.includes(name)) return [node];
  }
  return [];
}

/** The tree with only those nodes that a search finds, and the ways to them. */
export function searchTree(roots: readonly ScopeNode[], words: readonly string[]): readonly ScopeNode[] {
  if (words.length === 0) return roots;
  return roots.flatMap((node) => {
    const children = searchTree(node.children, words);
    if (children.length > 0) return [{ ...node, children }];
    return words.every((word) => node.text.includes(word)) ? [node] : [];
  });
}
