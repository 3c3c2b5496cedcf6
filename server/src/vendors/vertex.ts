import { CLOUD_WORDS } from '@dargah/core/cloud-fields.ts';
import { readServiceAccount } from '../core/cloud-credentials.ts';
import { type Cloud, type CloudPlace, firstSet } from './cloud.ts';
import type { Vendor } from './vendor.ts';

const EVERYWHERE = 'global';

/**
 * The address of one publisher's models in a project and a location: `global`, `us` and `eu` have addresses of their
 * own, all others are regions.
 */
export function vertexCloud(publisher: string): Cloud {
  return {
    placeEnv: { project: ['VERTEX_PROJECT'], region: ['VERTEX_LOCATION'] },
    address({ project, region = EVERYWHERE }: CloudPlace, secret) {
      const named = project ?? (secret === undefined ? undefined : readServiceAccount(secret)?.projectId);
      // The key file and the environment are outside input like a form, so only a valid location goes into the address.
      if (named === undefined || !CLOUD_WORDS.project.test(named) || !CLOUD_WORDS.region.test(region)) return undefined;
      return `https://${hostOf(region)}/v1/projects/${named}/locations/${region}/publishers/${publisher}`;
    },
    secretIn(env) {
      const secret = firstSet(env, ['VERTEX_CREDENTIALS']);
      return secret === undefined ? undefined : { auth: 'google-service-account', secret };
    },
    authOf: () => 'google-service-account',
  };
}

function hostOf(region: string): string {
  if (region === EVERYWHERE) return 'aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}

/** Google's models in a project of Google Cloud: the same names and protocol as at `google`, at another address. */
export const vertex: Vendor = {
  id: 'vertex',
  name: { fa: 'ورتکس گوگل', en: 'Google Vertex' },
  protocol: 'gemini-generate',
  baseUrl: undefined,
  auth: 'google-service-account',
  keyEnv: ['VERTEX_CREDENTIALS'],
  baseUrlEnv: 'VERTEX_BASE_URL',
  deploymentsEnv: 'VERTEX_MODELS',
  door: { to: 'google', nameOf: (model) => model, all: true },
  cloud: vertexCloud('google'),
  quirks: { cloud: 'vertex' },
};
