/** Causes of idle time in words. */

/** What each cause of idle time means. */
export const CAUSES: Readonly<Record<string, string>> = {
  host: "The launching thread was at work before the launch.",
  synchronization: "The launching thread was in a call that waits for the device.",
  input: "The launching thread loaded data.",
  "launch-call": "The call that launches was running.",
  "launch-latency": "The launch was over, and its event had not begun.",
  "kernel-gap": "The event followed another one of its stream.",
  dependency: "The event waited for one of another stream.",
  "hand-over": "Work was handed to another thread.",
  unknown: "What the device waited for is not known.",
};

/** What else is known of an unknown cause; the order is that of the column `idle.note`. */
const NOTES: readonly (string | null)[] = [
  null,
  "Nothing was recorded on the host.",
  "The event after it was launched before the recording, so that nothing tells why it began then.",
  "Nothing explains the wait.",
  null,
];

/** What a piece of idle time means; `note` is its value of the column `idle.note`. */
export const causeText = (cause: string, note: number): string | undefined =>
  (cause === "unknown" ? NOTES[note] : null) ?? CAUSES[cause];
