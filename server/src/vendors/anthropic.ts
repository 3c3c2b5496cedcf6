import type { Vendor } from './vendor.ts';

export const anthropic: Vendor = {
  id: 'anthropic',
  name: { fa: 'آنتروپیک', en: 'Anthropic' },
  protocol: 'anthropic-messages',
  baseUrl: 'https://api.anthropic.com',
  auth: 'x-api-key',
  keyEnv: ['ANTHROPIC_API_KEY'],
  baseUrlEnv: 'ANTHROPIC_BASE_URL',
  quirks: {},
  modelRules: [
    // From 4.6 on a token budget for thinking is refused: the model decides, effort guides it.
    { match: /^claude-((opus|sonnet)-4-[6-9]|(fable|opus|sonnet|haiku)-[5-9])/, quirks: { adaptiveThinking: true } },
    // These answer 400 to temperature, top_p and top_k.
    { match: /^claude-(opus-4-[78]|opus-[5-9]|(haiku|sonnet)-5-5)/, quirks: { rejectsSampling: true } },
  ],
};
