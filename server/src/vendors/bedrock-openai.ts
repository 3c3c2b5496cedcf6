import { bedrockCloud } from './bedrock.ts';
import type { Vendor } from './vendor.ts';

/** The models that Bedrock serves in OpenAI's protocol (`openai.gpt-oss-120b-1:0` and the like). */
export const bedrockOpenai: Vendor = {
  id: 'bedrock-openai',
  name: { fa: 'آمازون بدراک (OpenAI)', en: 'Amazon Bedrock (OpenAI)' },
  protocol: 'openai-chat',
  baseUrl: undefined,
  auth: 'bearer',
  keyEnv: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
  baseUrlEnv: 'BEDROCK_OPENAI_BASE_URL',
  deploymentsEnv: 'BEDROCK_OPENAI_MODELS',
  cloud: bedrockCloud('/openai/v1'),
  quirks: { maxTokensField: 'max_completion_tokens', noDeveloperRole: true },
};
