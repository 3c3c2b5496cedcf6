/** Bounds on the parts of a request. They are wider than any provider allows and only keep our own work bounded. */

/** The provider's own bound on messages; blocks and tools never come near it. */
export const MAX_ITEMS = 100_000;
export const MAX_NAME = 512;
/** Ids may carry a signature of some kilobytes, see tool-signature.ts. */
export const MAX_ID = 262_144;
export const MAX_URL = 65_536;
export const MAX_TOKENS = 1_000_000_000;
