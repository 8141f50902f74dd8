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
  unknown: "Nothing explains the wait.",
};
