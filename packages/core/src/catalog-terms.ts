/**
 * The terms that entries of the catalog are written in: what a model can do, how a provider is spoken to, how it
 * authenticates, and whose margin applies.
 */

export const CAPABILITIES = [
  'vision',
  'audio_input',
  'files',
  'tools',
  'json_object',
  'json_schema',
  'reasoning',
  'streaming',
  'seed',
  'logprobs',
  'prefill',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Every protocol that a provider may speak. Lists of protocols elsewhere are made from this one. */
export const PROTOCOL_IDS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'bedrock-converse',
] as const;
export type ProtocolId = (typeof PROTOCOL_IDS)[number];

/**
 * Schemes whose credential is never sent: it signs each request, or is exchanged for a token, and the token is sent.
 */
const SIGNED_SCHEMES = ['aws-sigv4', 'google-service-account', 'entra'] as const;
export type SignedScheme = (typeof SIGNED_SCHEMES)[number];

export const AUTH_SCHEMES = ['bearer', 'x-api-key', 'x-goog-api-key', 'api-key', ...SIGNED_SCHEMES, 'none'] as const;
export type AuthScheme = (typeof AUTH_SCHEMES)[number];

export function isSignedScheme(scheme: AuthScheme): scheme is SignedScheme {
  return (SIGNED_SCHEMES as readonly AuthScheme[]).includes(scheme);
}

/** Classes of service that a provider sells beside its normal one, each at a price of its own. */
export const SERVICE_TIERS = ['flex', 'priority', 'fast', 'ultrafast'] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** Whose margin it is. The most specific margin wins; that of an account wins over them all. */
export const MARGIN_LAYERS = ['global', 'vendor', 'model'] as const;
export type MarginLayer = (typeof MARGIN_LAYERS)[number];

/** The state of a provider, model or route: from "serves every request" over "serves none" to "hidden". */
export const CATALOG_STATES = ['active', 'draining', 'off', 'retired'] as const;
export type CatalogState = (typeof CATALOG_STATES)[number];
