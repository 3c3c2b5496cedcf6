/** What the end of an attempt says about its route. */

/** Ends that say nothing about the route: the caller left, or another route was faster. */
export const NO_VERDICT: ReadonlySet<string> = new Set(['running', 'aborted', 'hedge-lost', 'skipped']);
/**
 * A provider that rightly complains about the caller's request works well, and so does one whose answer broke the
 * guarantee: it answered, and prompts can provoke such an answer.
 */
export const WELL: ReadonlySet<string> = new Set(['ok', 'client-fault', 'context-too-long', 'broken-answer']);
