import { CLOUD_WORDS } from '@dargah/core/cloud-fields.ts';
import { readAwsKeys } from '../core/cloud-credentials.ts';
import { type Cloud, firstSet } from './cloud.ts';
import type { Vendor } from './vendor.ts';

/**
 * An API key of Bedrock is sent as a bearer token; an access key of the account signs each request. `path` is what
 * follows the host.
 */
export function bedrockCloud(path: string): Cloud {
  return {
    placeEnv: { region: ['BEDROCK_REGION'] },
    address: ({ region }) =>
      region === undefined || !CLOUD_WORDS.region.test(region)
        ? undefined
        : `https://bedrock-runtime.${region}.amazonaws.com${path}`,
    secretIn(env) {
      const key = firstSet(env, ['AWS_BEARER_TOKEN_BEDROCK']);
      if (key !== undefined) return { auth: 'bearer', secret: key };
      const access_key_id = firstSet(env, ['AWS_ACCESS_KEY_ID']);
      const secret_access_key = firstSet(env, ['AWS_SECRET_ACCESS_KEY']);
      const session_token = firstSet(env, ['AWS_SESSION_TOKEN']);
      if (!access_key_id || !secret_access_key) return undefined;
      return { auth: 'aws-sigv4', secret: JSON.stringify({ access_key_id, secret_access_key, session_token }) };
    },
    authOf: (secret) => (readAwsKeys(secret) ? 'aws-sigv4' : 'bearer'),
    // The address of a private network does not name the region, so the variable also says where a request is signed.
    quirksAt(baseUrl, env) {
      const region = firstSet(env, ['BEDROCK_REGION']);
      return region === undefined || baseUrl.includes(`.${region}.`) ? {} : { awsRegion: region };
    },
  };
}

/** Any model of Amazon Bedrock, in the one protocol that Amazon puts over all of them. */
export const bedrock: Vendor = {
  id: 'bedrock',
  name: { fa: 'آمازون بدراک', en: 'Amazon Bedrock' },
  protocol: 'bedrock-converse',
  baseUrl: undefined,
  auth: 'bearer',
  keyEnv: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
  baseUrlEnv: 'BEDROCK_BASE_URL',
  deploymentsEnv: 'BEDROCK_MODELS',
  cloud: bedrockCloud(''),
  quirks: {},
  modelRules: [
    { match: /claude-((opus|sonnet)-4-[6-9]|(fable|opus|sonnet|haiku)-[5-9])/, quirks: { adaptiveThinking: true } },
    { match: /claude-(opus-4-[78]|opus-[5-9]|(haiku|sonnet)-5-5)/, quirks: { rejectsSampling: true } },
  ],
};
