/** The public endpoints by name, as rules of keys name them. */
export const ENDPOINTS = [
  'chat.completions',
  'completions',
  'messages',
  'messages.count_tokens',
  'responses',
  'embeddings',
  'audio.speech',
  'audio.transcriptions',
  'audio.translations',
  'models',
  'key',
  'requests',
  'knowledge_bases',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** What a call is counted as: a public endpoint, or another part of the service, which the rules of keys cannot name. */
export type CalledEndpoint = Endpoint | 'operator' | 'console' | 'open' | 'unknown';
