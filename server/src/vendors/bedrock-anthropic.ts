import { bedrock, bedrockCloud } from './bedrock.ts';
import type { Vendor } from './vendor.ts';

/** Anthropic's models on Bedrock in their own protocol, so that everything of it passes: `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. */
export const bedrockAnthropic: Vendor = {
  id: 'bedrock-anthropic',
  name: { fa: 'آنتروپیک روی آمازون بدراک', en: 'Anthropic on Amazon Bedrock' },
  protocol: 'anthropic-messages',
  baseUrl: undefined,
  auth: 'bearer',
  keyEnv: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
  baseUrlEnv: 'BEDROCK_BASE_URL',
  deploymentsEnv: 'BEDROCK_MODELS',
  door: { to: 'anthropic', nameOf: () => undefined },
  cloud: bedrockCloud(''),
  quirks: { cloud: 'bedrock' },
  ...(bedrock.modelRules && { modelRules: bedrock.modelRules }),
};
