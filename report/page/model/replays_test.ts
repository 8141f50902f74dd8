import type { Page, RunData } from "../data/tables.ts";
import { equal } from "../data/testing.ts";
import type { Replay } from "./replay.ts";
import { loadReplays, replayOf } from "./replays.ts";

/** A page of so many runs with an empty module, which the document gives once. */
function pageOf(runs: number): Page {
  let module: Promise<Uint8Array<ArrayBuffer>> | null = Promise.resolve(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const embedded = () => {
    const taken = module;
    module = null;
    return taken;
  };
  return { runs: Array.from({ length: runs }, (_, index) => ({ index })), embedded } as unknown as Page;
}

Deno.test("a run whose replay cannot be read takes no other replay with it, and is tried again at the next visit", async () => {
  const page = pageOf(3);
  const asked: number[] = [];
  let isDamaged = true;
  const load = async (_: WebAssembly.Module, run: RunData) => {
    asked.push(run.index);
    await Promise.resolve();
    if (run.index === 1 && isDamaged) throw new Error("the columns are damaged");
    return run.index === 2 ? null : { run: run.index } as unknown as Replay;
  };
  await loadReplays(page, load);
  equal(page.runs.map(replayOf), [
    { replay: { run: 0 } },
    { problem: "The replay of this run cannot be read: the columns are damaged." },
    null,
  ]);
  isDamaged = false;
  // The second of two visits at once waits for the first.
  await Promise.all([loadReplays(page, load), loadReplays(page, load)]);
  equal(page.runs.map(replayOf), [{ replay: { run: 0 } }, { replay: { run: 1 } }, null]);
  equal(asked, [0, 1, 2, 1]);
});
