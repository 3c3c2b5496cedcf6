/** Bounds on the parts of a request. */

/** This is longer than any real conversation and keeps a hostile body from costing more than its bytes. */
export const MAX_ITEMS = 10_000;
export const MAX_PARTS = 2_000;
export const MAX_TOOLS = 1_024;
export const MAX_MODEL_NAME = 256;
export const MAX_NAME = 256;
/** Call ids carry signatures of other protocols. */
export const MAX_TOOL_ID = 16_384;
export const MAX_USER = 1_024;
export const MAX_RESPONSE_ID = 128;
