/** Bounds on the parts of a request. They are wider than any provider allows and only keep our own work bounded. */

export const MAX_ITEMS = 100_000;
export const MAX_NAME = 512;
export const MAX_ID = 262_144;
export const MAX_URL = 65_536;
export const MAX_TOKENS = 1_000_000_000;
/** Google's own bound on `candidateCount`. */
export const MAX_ANSWERS = 8;
