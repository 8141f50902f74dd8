/** The largest size among values, of which there may be more than a call takes arguments; 0 without any. */
export function largest(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
}
