/** Walks over events that are inside of each other, in time that is linear in their number. */

/**
 * Calls `enter` for each event before the events inside of it, and `leave` after them; events of one parent come in the
 * order of the table. `parent` has the event around each one, or -1; it may come later in the table than its children.
 */
export function visitNested(
  parent: ArrayLike<number>,
  enter: (event: number) => void,
  leave: (event: number) => void,
): void {
  const count = parent.length;
  // By place of the parent plus 1, so that events without one have a place, too.
  const first = new Int32Array(count + 1).fill(-1), next = new Int32Array(count).fill(-1);
  for (let event = count - 1; event >= 0; event--) {
    const place = parent[event]! + 1;
    next[event] = first[place]!;
    first[place] = event;
  }
  for (let at = first[0]!; at >= 0;) {
    enter(at);
    if (first[at + 1]! >= 0) {
      at = first[at + 1]!;
      continue;
    }
    for (;;) {
      leave(at);
      const sibling = next[at]!;
      at = sibling >= 0 ? sibling : parent[at]!;
      if (sibling >= 0 || at < 0) break;
    }
  }
}
