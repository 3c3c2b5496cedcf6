/** Clouds that the environment switches on: where they are, how they let in, which models go through them, and at which cost. */
import { describe, expect, it } from 'vitest';
import { listedModels } from '../../src/catalog/seed/listed-models.ts';
import { modelsServedBy, switchedOnProviders } from '../../src/catalog/seed/switched-on.ts';
import { isMetadataHost } from '../../src/platform/upstream/index.ts';

const terms = { exchangeRate: '100000', margin: '10' };
const ACCOUNT = JSON.stringify({ client_email: 'a@b', private_key: 'PRIVATE KEY', project_id: 'from-file' });
const PAIR = { AWS_ACCESS_KEY_ID: 'AKIA1', AWS_SECRET_ACCESS_KEY: 'secret' };

function on(env: Record<string, string>) {
  return switchedOnProviders(env).map(({ id, baseUrl, auth, quirks }) => ({ id, baseUrl, auth, quirks }));
}

function routesOf(env: Record<string, string>, provider: string) {
  return modelsServedBy(switchedOnProviders(env), { env, terms }).flatMap(({ id, routes }) =>
    routes.filter((route) => route.provider === provider).map((route) => ({ id, ...route })),
  );
}

describe('a cloud of the environment', () => {
  it('is Azure at either of its addresses, by key or by application', () => {
    const key = { AZURE_OPENAI_API_KEY: 'k' };
    expect(on({ ...key, AZURE_OPENAI_RESOURCE: 'mine' })).toMatchObject([
      { id: 'azure-openai', baseUrl: 'https://mine.openai.azure.com/openai/v1', auth: 'api-key' },
      { id: 'azure-openai-responses', baseUrl: 'https://mine.openai.azure.com/openai/v1' },
    ]);
    expect(on({ ...key, AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' })[0]?.baseUrl).toBe(
      'https://mine.openai.azure.com/openai/v1',
    );
    const [older] = on({
      ...key,
      AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/openai',
      OPENAI_API_VERSION: '2024-10-21',
    });
    expect(older).toMatchObject({
      baseUrl: 'https://mine.openai.azure.com/openai',
      quirks: { azure: { apiVersion: '2024-10-21' } },
    });
    const app = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 's' };
    expect(on({ ...app, AZURE_OPENAI_RESOURCE: 'mine' })[0]?.auth).toBe('entra');
    expect(on(app)).toEqual([]);
    expect(on(key)).toEqual([]);
    expect(on({ ...key, AZURE_OPENAI_RESOURCE: 'evil.example/x' })).toEqual([]);
  });

  it('is Vertex in the project of the key file, or in another', () => {
    expect(on({ VERTEX_CREDENTIALS: ACCOUNT }).map(({ baseUrl }) => baseUrl)).toEqual([
      'https://aiplatform.googleapis.com/v1/projects/from-file/locations/global/publishers/google',
      'https://aiplatform.googleapis.com/v1/projects/from-file/locations/global/publishers/anthropic',
    ]);
    expect(on({ VERTEX_CREDENTIALS: ACCOUNT, VERTEX_PROJECT: 'p', VERTEX_LOCATION: 'us-east5' })[0]).toMatchObject({
      baseUrl: 'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/google',
      auth: 'google-service-account',
    });
    expect(on({ VERTEX_CREDENTIALS: 'no json', VERTEX_PROJECT: 'p' })).toEqual([]);
    const forged = JSON.stringify({ client_email: 'a@b', private_key: 'PRIVATE KEY', project_id: 'p/../../v1beta?' });
    expect(on({ VERTEX_CREDENTIALS: forged })).toEqual([]);
    expect(on({ VERTEX_CREDENTIALS: ACCOUNT, VERTEX_LOCATION: 'evil.example/x' })).toEqual([]);
  });

  it('is Bedrock only where a region is named: keys of Amazon may be there for other things', () => {
    expect(on(PAIR)).toEqual([]);
    expect(on({ ...PAIR, BEDROCK_REGION: 'evil.example/x' })).toEqual([]);
    expect(on({ ...PAIR, BEDROCK_REGION: 'eu-central-1' })).toMatchObject([
      { id: 'bedrock-anthropic', baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com', auth: 'aws-sigv4' },
      { id: 'bedrock', baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com' },
      { id: 'bedrock-openai', baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1' },
    ]);
    const [own] = on({
      AWS_BEARER_TOKEN_BEDROCK: 'ABSK1',
      BEDROCK_REGION: 'eu-central-1',
      BEDROCK_BASE_URL: 'https://vpc.example',
    });
    expect(own).toMatchObject({
      auth: 'bearer',
      baseUrl: 'https://vpc.example',
      quirks: { awsRegion: 'eu-central-1' },
    });
  });
});

describe('models through a cloud', () => {
  const [claude] = listedModels().filter(({ routes }) => routes.some(({ vendor }) => vendor === 'anthropic'));
  const other = listedModels().find(({ id, kind }) => id.startsWith('openai/') && kind === 'chat');

  it('are those that are named, each by one door, at the maker’s price where it is the maker’s model', () => {
    const env = {
      ...PAIR,
      BEDROCK_REGION: 'r',
      BEDROCK_MODELS: `${claude?.id}=us.anthropic.claude,${other?.id}=openai.gpt-oss`,
    };
    const [anthropic] = routesOf(env, 'bedrock-anthropic');
    expect(anthropic).toMatchObject({ id: claude?.id, model: 'us.anthropic.claude' });
    expect(anthropic?.cost?.perUnit).not.toEqual({});
    expect(routesOf(env, 'bedrock')).toMatchObject([{ id: other?.id, model: 'openai.gpt-oss', cost: undefined }]);
  });

  it('are all of Google’s on Vertex under their own names, and of others those that are named', () => {
    const env = { VERTEX_CREDENTIALS: ACCOUNT };
    const google = listedModels().filter(({ routes }) => routes.some(({ vendor }) => vendor === 'google'));
    expect(routesOf(env, 'vertex')).toHaveLength(google.length);
    expect(routesOf(env, 'vertex-anthropic')).toEqual([]);
    const named = { ...env, VERTEX_MODELS: `${claude?.id}=claude@1` };
    expect(routesOf(named, 'vertex-anthropic')).toMatchObject([{ id: claude?.id, model: 'claude@1' }]);
  });
});

it.each([
  ['169.254.169.254', true],
  ['[::ffff:a9fe:a9fe]', true],
  ['[fd00:ec2::254]', true],
  ['168.63.129.16', true],
  ['100.100.100.200', true],
  ['metadata.google.internal', true],
  ['metadata', true],
  ['127.0.0.1', false],
  ['10.0.0.5', false],
  ['[::1]', false],
  ['mymetadata.example', false],
  ['api.openai.com', false],
])('%s is a metadata service: %s', (host, is) => {
  expect(isMetadataHost(host)).toBe(is);
});
