/** The replays of the runs of a page. Each run is loaded once; one that could not be read is tried again. */

import type { Page, RunData } from "../data/tables.ts";
import { Replay } from "./replay.ts";

/** Loads a run into the module; null if the document has no columns of a replay. Rejects if these are damaged. */
export type LoadReplay = (module: WebAssembly.Module, run: RunData) => Promise<Replay | null>;

/** A replay, why there is none, or null if the document has none of the run. */
export type LoadedReplay = { replay: Replay } | { problem: string } | null;

// Loads that have begun. The bytes of the module can be taken from the document once.
const modules = new WeakMap<Page, Promise<WebAssembly.Module> | null>();
const loads = new WeakMap<RunData, Promise<LoadedReplay>>();
const loaded = new WeakMap<RunData, LoadedReplay>();

/** Loads the replays of all runs; `replayOf` has them then. Rejects if the module itself cannot be compiled. */
export async function loadReplays(page: Page, load: LoadReplay = Replay.load): Promise<void> {
  let compiled = modules.get(page);
  if (compiled === undefined) {
    const bytes = page.embedded?.("replay") ?? null;
    modules.set(page, compiled = bytes && bytes.then((module) => WebAssembly.compile(module)));
  }
  const module = await compiled;
  if (module) await Promise.all(page.runs.map((run) => loadOnce(module, run, load)));
}

/** What `loadReplays` found of a run. */
export const replayOf = (run: RunData): LoadedReplay => loaded.get(run) ?? null;

function loadOnce(module: WebAssembly.Module, run: RunData, load: LoadReplay): Promise<LoadedReplay> {
  let found = loads.get(run);
  if (!found) loads.set(run, found = attempt(module, run, load));
  return found;
}

async function attempt(module: WebAssembly.Module, run: RunData, load: LoadReplay): Promise<LoadedReplay> {
  let found: LoadedReplay;
  try {
    const replay = await load(module, run);
    found = replay && { replay };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    found = { problem: `The replay of this run cannot be read: ${why}.` };
    loads.delete(run);
  }
  loaded.set(run, found);
  return found;
}
