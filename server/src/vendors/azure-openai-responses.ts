import { azure } from './azure-openai.ts';
import type { Vendor } from './vendor.ts';

/** The same resource, for the models that answer in the Responses protocol only (the pro and codex lines). */
export const azureOpenaiResponses: Vendor = {
  id: 'azure-openai-responses',
  name: { fa: 'آژور اوپن‌ای‌آی (Responses)', en: 'Azure OpenAI (Responses)' },
  protocol: 'openai-responses',
  baseUrl: undefined,
  auth: 'api-key',
  keyEnv: ['AZURE_OPENAI_API_KEY'],
  baseUrlEnv: 'AZURE_OPENAI_ENDPOINT',
  deploymentsEnv: 'AZURE_OPENAI_DEPLOYMENTS',
  door: { to: 'openai-responses', nameOf: () => undefined },
  ownNames: true,
  cloud: azure,
  quirks: { rejectsSampling: true },
};
