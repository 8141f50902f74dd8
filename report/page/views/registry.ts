/** All views, a row each. The summary is none of them: it is written as plain HTML and is there without script. */

import type { View } from "../view/view.ts";
import { graphView } from "./graph/view.ts";
import { KERNELS } from "./kernels/view.ts";
import { MODULES } from "./modules/view.ts";
import { OPERATORS } from "./operators/view.ts";
import { WHAT_IF } from "./what_if/view.ts";
import { timelineView } from "./timeline/view.ts";

/** The views in the order of their tabs. */
export const VIEWS: readonly View[] = [
  OPERATORS,
  KERNELS,
  MODULES,
  timelineView,
  graphView,
  WHAT_IF,
].sort((a, b) => a.order - b.order);
