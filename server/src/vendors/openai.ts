import type { Vendor } from './vendor.ts';

/** Spoken to in the chat protocol; what answers only in the Responses protocol goes by openai-responses.ts. */
export const openai: Vendor = {
  id: 'openai',
  name: { fa: 'اوپن‌ای‌آی', en: 'OpenAI' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.openai.com/v1',
  auth: 'bearer',
  keyEnv: ['OPENAI_API_KEY'],
  baseUrlEnv: 'OPENAI_BASE_URL',
  quirks: { maxTokensField: 'max_completion_tokens' },
  modelRules: [
    // Reasoning models answer 400 to temperature, top_p and penalties; the `-chat` variants of gpt-5 do not reason.
    { match: /^(o\d|gpt-[5-9](?!.*chat)|gpt-daybreak)/, quirks: { rejectsSampling: true } },
    // A third of the bytes of a list of decimals.
    { match: /^text-embedding/, quirks: { embeddings: { encoding: 'base64' } } },
    { match: /^o1-(mini|preview)/, quirks: { noDeveloperRole: true } },
  ],
};
