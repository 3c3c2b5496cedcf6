import { CLOUD_WORDS } from '@dargah/core/cloud-fields.ts';
import { readEntraApp } from '../core/cloud-credentials.ts';
import { type Cloud, firstSet } from './cloud.ts';
import type { Vendor } from './vendor.ts';

const API_VERSION_ENV = ['AZURE_OPENAI_API_VERSION', 'OPENAI_API_VERSION'];
const USUAL_API_VERSION = '2025-04-01-preview';

/**
 * Azure has two addresses: `…/openai/v1`, where the deployment is the model in the body, and the older `…/openai`,
 * where it stands in the path beside an api-version. The address decides which is used; a resource without a path means
 * the newer one.
 */
export const azure: Cloud = {
  placeEnv: { resource: ['AZURE_OPENAI_RESOURCE'] },
  address: ({ resource }) =>
    resource === undefined || !CLOUD_WORDS.resource.test(resource)
      ? undefined
      : `https://${resource}.openai.azure.com/openai/v1`,
  secretIn(env) {
    const key = firstSet(env, ['AZURE_OPENAI_API_KEY']);
    if (key !== undefined) return { auth: 'api-key', secret: key };
    const tenant_id = firstSet(env, ['AZURE_TENANT_ID']);
    const client_id = firstSet(env, ['AZURE_CLIENT_ID']);
    const client_secret = firstSet(env, ['AZURE_CLIENT_SECRET']);
    if (!tenant_id || !client_id || !client_secret) return undefined;
    return { auth: 'entra', secret: JSON.stringify({ tenant_id, client_id, client_secret }) };
  },
  authOf: (secret) => (readEntraApp(secret) ? 'entra' : 'api-key'),
  quirksAt(baseUrl, env) {
    const asked = firstSet(env, API_VERSION_ENV);
    return baseUrl.endsWith('/v1') ? {} : { azure: { apiVersion: asked ?? USUAL_API_VERSION } };
  },
  // The portal shows the resource without a path.
  mended: (baseUrl) => (new URL(baseUrl).pathname === '/' ? `${new URL(baseUrl).origin}/openai/v1` : baseUrl),
};

export const azureOpenai: Vendor = {
  id: 'azure-openai',
  name: { fa: 'آژور اوپن‌ای‌آی', en: 'Azure OpenAI' },
  protocol: 'openai-chat',
  baseUrl: undefined,
  auth: 'api-key',
  keyEnv: ['AZURE_OPENAI_API_KEY'],
  baseUrlEnv: 'AZURE_OPENAI_ENDPOINT',
  deploymentsEnv: 'AZURE_OPENAI_DEPLOYMENTS',
  door: { to: 'openai', nameOf: () => undefined },
  ownNames: true,
  cloud: azure,
  quirks: { maxTokensField: 'max_completion_tokens' },
  modelRules: [{ match: /^(o\d|gpt-[5-9](?!.*chat))/, quirks: { rejectsSampling: true } }],
};
