/** Ranks of a run against each other. */

import type { AcrossRanks, ReportRank } from "../../contract/report.ts";

/** A part of the wall time of a rank; all parts together are the wall time. */
export interface RankPart {
  readonly id: "computation" | "waiting" | "communication" | "copies" | "idle";
  readonly ns: number;
}

/** What each part is. */
export const PARTS: Readonly<Record<RankPart["id"], string>> = {
  computation: "computes",
  waiting: "waits for other ranks, and computes nothing",
  communication: "communicates, and computes nothing",
  copies: "only copies",
  idle: "idle",
};

/** The parts of the wall time of a rank; empty where it, or the communication, is not known. */
export function partsOf(rank: ReportRank): RankPart[] {
  const { wall_ns, computation_ns, exposed_communication_ns, exposed_copies_ns, exposed_wait_ns } = rank;
  if (wall_ns === null || computation_ns === null || exposed_communication_ns === null || exposed_copies_ns === null) {
    return [];
  }
  const waiting = Math.min(exposed_wait_ns ?? 0, exposed_communication_ns);
  return [
    { id: "computation", ns: computation_ns },
    { id: "waiting", ns: waiting },
    { id: "communication", ns: exposed_communication_ns - waiting },
    { id: "copies", ns: exposed_copies_ns },
    { id: "idle", ns: Math.max(0, wall_ns - computation_ns - exposed_communication_ns - exposed_copies_ns) },
  ];
}

/** The longest computation over the mean of all ranks: 1 is balanced; null where it is not known of each rank. */
export function imbalanceOf(ranks: readonly ReportRank[]): number | null {
  const times: number[] = [];
  for (const { computation_ns } of ranks) {
    if (computation_ns === null) return null;
    times.push(computation_ns);
  }
  const sum = times.reduce((a, b) => a + b, 0);
  return times.length > 1 && sum > 0 ? (Math.max(...times) * times.length) / sum : null;
}

/** Whether a run for which no straggler is found has none: ranks may wait for each other where the traces do not say who sends to whom. */
export const isStragglerKnown = (
  { compared, data_problems }: Pick<AcrossRanks, "compared" | "data_problems">,
): boolean => compared > 0 && data_problems.every((one) => one.name !== "point-to-point");

/** Numbers in a row as ranges, such as `0-3, 6`. */
export function rangesText(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length;) {
    let last = i;
    while (last + 1 < numbers.length && numbers[last + 1] === numbers[last]! + 1) last++;
    parts.push(last === i ? String(numbers[i]) : `${numbers[i]}-${numbers[last]}`);
    i = last + 1;
  }
  return parts.join(", ");
}
