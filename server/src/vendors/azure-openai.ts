import type { Vendor } from './vendor.ts';

/** The address is the customer's own resource, e.g. `https://my-resource.openai.azure.com/openai`. */
export const azureOpenai: Vendor = {
  id: 'azure-openai',
  name: { fa: 'آژور اوپن‌ای‌آی', en: 'Azure OpenAI' },
  protocol: 'openai-chat',
  baseUrl: undefined,
  auth: 'api-key',
  keyEnv: ['AZURE_OPENAI_API_KEY'],
  baseUrlEnv: 'AZURE_OPENAI_ENDPOINT',
  deploymentsEnv: 'AZURE_OPENAI_DEPLOYMENTS',
  quirks: { maxTokensField: 'max_completion_tokens', azure: { apiVersion: '2025-04-01-preview' } },
  modelRules: [{ match: /^(o\d|gpt-[5-9](?!.*chat))/, quirks: { rejectsSampling: true } }],
};
