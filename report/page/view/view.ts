/** What a view is. */

import type { Page, TableName } from "../data/tables.ts";
import type { Filters, Selection, State } from "../state/state.ts";

/** What a view works with. */
export interface ViewContext {
  readonly page: Page;
  readonly state: State;
  /** Selects something, and shows it in a view. */
  navigate(selection: Selection | null, viewId?: string): void;
}

/** A view that is shown. */
export interface Mounted {
  readonly element: HTMLElement;
  /** Frees what the end of the scope around `mount` does not. */
  dispose?(): void;
  /** The element has another size. */
  resized?(): void;
}

/** A tab of the page. A view does not import another one. */
export interface View {
  readonly id: string;
  readonly title: string;
  /** Smaller ones are further left. */
  readonly order: number;
  /** The shared filters that change what the view shows. */
  readonly filters?: readonly (keyof Filters)[];
  /** The view says itself what is selected, so that the panel beside the views is not there. */
  readonly describesSelection?: boolean;
  /** Tables that must be loaded before `mount`, for all runs that have them. */
  readonly tables?: readonly TableName[];
  /** Single columns that are loaded before `mount` where a run has them. */
  readonly columns?: readonly string[];
  /** Loads what else `mount` needs. */
  prepare?(page: Page): Promise<void>;
  /** Whether the document has data for the view. Without it there is no tab. */
  isAvailable(page: Page): boolean;
  /** Makes the elements. Effects that are made here end when the view is left. */
  mount(context: ViewContext): Mounted;
}
