/** Assertions of unit tests. The page has no dependency, and neither have its tests. */

/** Throws unless both values are the same as JSON. */
export function equal(actual: unknown, expected: unknown): void {
  const left = JSON.stringify(actual), right = JSON.stringify(expected);
  if (left !== right) throw new Error(`expected ${right}, got ${left}`);
}

/** Throws unless the promise of `action` is rejected. */
export async function rejects(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch {
    return;
  }
  throw new Error("expected a rejection");
}
