/** Tensors over the schedule of kernels: what is live where, and what waits. */

import type { Kernel, Liveness } from "../../contract/report.ts";

type Tensor = Liveness["tensors"][number];
type MemorySaving = NonNullable<Liveness["offload"]>[number];

/** Where positions of the schedule begin and end on an axis. */
export interface Axis {
  /** One entry more than positions. */
  readonly ends: number[];
  /** Nanoseconds per iteration, or positions if no kernel has a time. */
  readonly isTime: boolean;
}

/** The kernels of the schedule one after the other: each as long as its mean time, or, by `position`, one long. */
export function axisOf(liveness: Liveness, kernels: ReadonlyMap<number, Kernel>, byPosition: boolean): Axis {
  const times = liveness.kernels.map((id) => {
    const kernel = kernels.get(id);
    return kernel?.duration_ns_mean ?? kernel?.duration_ns ?? 0;
  });
  const isTime = !byPosition && times.some((ns) => ns > 0);
  const ends = [0];
  for (const ns of times) ends.push(ends.at(-1)! + (isTime ? ns : 1));
  return { ends, isTime };
}

/** The position at a place of the axis; -1 without positions. */
export function positionAt(axis: Axis, value: number): number {
  let low = 0, high = axis.ends.length - 2;
  if (high < 0) return -1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (axis.ends[middle + 1]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A tensor at a position. */
export interface LiveRow {
  readonly tensor: Tensor;
  readonly index: number;
  /** Whether the kernel at the position reads or writes it. */
  readonly use: "reads" | "writes" | "reads and writes" | "waits";
}

/** The tensors that are live at a position, the largest first. Their bytes sum to the live bytes there. */
export function liveAt(liveness: Liveness, position: number): LiveRow[] {
  const reads = new Set(liveness.inputs[position]), writes = new Set(liveness.outputs[position]);
  const rows: LiveRow[] = [];
  liveness.tensors.forEach((tensor, index) => {
    const isLive = tensor.global ||
      (tensor.birth !== null && tensor.live_end !== null && tensor.birth <= position && position < tensor.live_end);
    if (!isLive) return;
    const isRead = reads.has(index), isWritten = writes.has(index);
    const use = isRead ? (isWritten ? "reads and writes" : "reads") : isWritten ? "writes" : "waits";
    rows.push({ tensor, index, use });
  });
  return rows.sort((a, b) => (b.tensor.bytes ?? -1) - (a.tensor.bytes ?? -1));
}

/** An inactive period of a tensor, and what it costs to free its memory meanwhile. */
export interface PeriodRow {
  readonly key: string;
  readonly tensor: Tensor;
  readonly from: number;
  readonly to: number;
  readonly ns: number | null;
  readonly offload: MemorySaving | null;
  readonly recompute: MemorySaving | null;
  /** Bytes times the length of the period, in byte seconds; null where one of them is not known. */
  readonly byteSeconds: number | null;
}

/** All inactive periods, those first that hold most memory for longest. */
export function periodRows(liveness: Liveness): PeriodRow[] {
  const keyOf = (name: string, from: number, to: number): string => JSON.stringify([name, from, to]);
  const byKey = (all: readonly MemorySaving[] | null): Map<string, MemorySaving> =>
    new Map((all ?? []).map((one) => [keyOf(one.tensor, one.from, one.to), one]));
  const offload = byKey(liveness.offload), recompute = byKey(liveness.recompute);
  const rows = liveness.tensors.flatMap((tensor) =>
    tensor.periods.map(({ from, to, ns }): PeriodRow => {
      const key = keyOf(tensor.name, from, to);
      const byteSeconds = tensor.bytes === null || ns === null ? null : (tensor.bytes * ns) / 1e9;
      return {
        key,
        tensor,
        from,
        to,
        ns,
        byteSeconds,
        offload: offload.get(key) ?? null,
        recompute: recompute.get(key) ?? null,
      };
    })
  );
  return rows.sort((a, b) => (b.byteSeconds ?? b.tensor.bytes ?? 0) - (a.byteSeconds ?? a.tensor.bytes ?? 0));
}

/** Why the measured peak is not the computed one: what the words of the report mean. */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  rounding: "the allocator gives memory in blocks",
  held: "of tensors that no kernel uses any more, but something still refers to",
  "no-tensor": "workspaces, and results that no call of the iteration reads",
  before: "allocated before the iteration or the recording",
  "not-yet": "of tensors that the kernel's call allocates later",
  "not-found": "live tensors whose memory was not found in the recording",
  elsewhere: "both peaks are at different kernels",
};

/** A series with at most so many steps, of which each has the largest value of its part of the axis. */
export function peaksOf(
  ends: ArrayLike<number>,
  values: ArrayLike<number>,
  steps: number,
): { ends: number[]; values: number[] } {
  if (values.length <= steps) return { ends: Array.from(ends), values: Array.from(values) };
  const from = ends[0]!, to = ends[ends.length - 1]!, size = (to - from) / steps;
  const found = new Array<number>(steps).fill(-Infinity);
  for (let i = 0; i < values.length; i++) {
    const first = Math.min(steps - 1, Math.floor((ends[i]! - from) / size));
    const last = Math.min(steps - 1, Math.max(first, Math.ceil((ends[i + 1]! - from) / size) - 1));
    for (let step = first; step <= last; step++) found[step] = Math.max(found[step]!, values[i]!);
  }
  return { ends: Array.from({ length: steps + 1 }, (_, i) => from + i * size), values: found };
}
