/** Bounds on the parts of a request. */

/** This is longer than any real conversation and keeps a hostile body from costing more than its bytes. */
export const MAX_MESSAGES = 10_000;
export const MAX_PARTS = 2_000;
/** OpenAI allows 128; gateways in front of tool servers offer several hundred. */
export const MAX_TOOLS = 1_024;
export const MAX_TOOL_CALLS = 1_024;
/** OpenAI allows 4, other providers up to 16. */
export const MAX_STOP_SEQUENCES = 16;
export const MAX_LOGIT_BIASES = 1_024;
export const MAX_MODEL_NAME = 256;
/** OpenAI allows 64 for tool names; names of tool servers are longer, and ids carry signatures at some providers. */
export const MAX_NAME = 256;
export const MAX_TOOL_ID = 16_384;
export const MAX_USER = 1_024;
