import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '../../src/catalog/model.ts';
import { desiredCatalog, type SeedSources } from '../../src/catalog/seed/desired.ts';
import { discoverServers } from '../../src/catalog/seed/discover.ts';
import type { Json } from '../../src/core/json.ts';

const sources = (more: Partial<SeedSources> = {}): SeedSources => ({
  env: {},
  terms: { exchangeRate: '100000', margin: '0.10' },
  config: { providers: [], models: [], groups: [] },
  found: [],
  localRates: { perUnit: { inputFresh: 7n, output: 9n }, perRequest: 0n },
  sandbox: true,
  ...more,
});

const ids = (items: { id: string }[]) => items.map((item) => item.id);

describe('with nothing set', () => {
  it('there is the sandbox, and every group has a default', () => {
    const desired = desiredCatalog(sources());
    expect(ids(desired.providers)).toEqual(['sandbox', 'sandbox-responses', 'sandbox-messages']);
    expect(ids(desired.models)).toEqual(
      [
        'echo',
        'hello',
        'quote',
        'tools',
        'embed',
        'rerank',
        'moderate',
        'image',
        'speech',
        'transcribe',
        'realtime',
      ].map((name) => `sandbox/${name}`),
    );
    expect(ids(desired.groups)).toEqual([...CATEGORIES]);
    for (const model of desired.models) {
      expect(model.simulated).toBe(true);
      expect(model.name).toContain('simulated');
    }
  });

  it('and without the sandbox nothing', () => {
    expect(desiredCatalog(sources({ sandbox: false }))).toEqual({ providers: [], models: [], groups: [] });
  });
});

describe('a vendor key in the environment', () => {
  it('switches on that vendor and its models, priced in toman with the margin', () => {
    const desired = desiredCatalog(sources({ env: { OPENAI_API_KEY: ' sk-test ' }, sandbox: false }));
    expect(ids(desired.providers)).toEqual(['openai', 'openai-responses']);
    expect(desired.providers[0]?.secrets).toEqual(['sk-test']);
    const model = desired.models.find((one) => one.id === 'openai/gpt-4o');
    expect(model?.rates.perUnit).toMatchObject({ inputFresh: 275_000n, output: 1_100_000n });
    expect(model?.routes.map((route) => route.provider)).toEqual(['openai']);
    expect(model?.routes[0]?.cost?.perUnit.inputFresh, 'our own cost has no margin').toBe(250_000n);
    expect(desired.models.every((one) => one.id.startsWith('openai/'))).toBe(true);
    expect(desired.groups.find((group) => group.id === 'economical')?.defaultModel).toBe('openai/gpt-6-luna');
  });

  it('takes the second name of a key and another address', () => {
    const env = { GOOGLE_API_KEY: 'g', GEMINI_BASE_URL: 'http://127.0.0.1:9/v1beta/' };
    expect(desiredCatalog(sources({ env, sandbox: false })).providers[0]).toMatchObject({
      id: 'google',
      baseUrl: 'http://127.0.0.1:9/v1beta',
      secrets: ['g'],
    });
  });

  it('an empty variable switches nothing on', () => {
    expect(desiredCatalog(sources({ env: { OPENAI_API_KEY: '  ' }, sandbox: false })).providers).toEqual([]);
  });

  it('OpenRouter is a second road to a model whose maker is there too', () => {
    const env = { ANTHROPIC_API_KEY: 'a', OPENROUTER_API_KEY: 'o' };
    const model = desiredCatalog(sources({ env })).models.find((one) => one.id === 'anthropic/claude-sonnet-5-5');
    expect(model?.routes.map(({ provider, priority }) => [provider, priority])).toEqual([
      ['anthropic', 1],
      ['openrouter', 2],
    ]);
    expect(model?.routes[0]?.quirks).toMatchObject({ adaptiveThinking: true, rejectsSampling: true });
  });

  it("Azure serves only what was deployed, under the customer's names", () => {
    const env = {
      AZURE_OPENAI_API_KEY: 'z',
      AZURE_OPENAI_ENDPOINT: 'https://x.example/openai',
      AZURE_OPENAI_DEPLOYMENTS: 'gpt-4o=mine, gpt-5',
    };
    const desired = desiredCatalog(sources({ env, sandbox: false }));
    expect(desired.models.map((model) => [model.id, model.routes[0]?.model])).toEqual([
      ['openai/gpt-4o', 'mine'],
      ['openai/gpt-5', 'gpt-5'],
    ]);
    expect(desiredCatalog(sources({ env: { AZURE_OPENAI_API_KEY: 'z' }, sandbox: false })).providers).toEqual([]);
  });
});

describe('the file', () => {
  it('wins over what we bring along', () => {
    const own = desiredCatalog(sources()).models[0];
    if (!own) throw new Error('no model');
    const config = {
      providers: [],
      models: [{ ...own, name: 'Mine' }],
      groups: [{ id: 'popular', name: 'P', nameFa: undefined, defaultModel: own.id, models: [own.id] }],
    };
    const desired = desiredCatalog(sources({ config }));
    expect(desired.models.filter((model) => model.id === own.id).map((model) => [model.name, model.managedBy])).toEqual(
      [['Mine', 'config']],
    );
    expect(desired.groups.find((group) => group.id === 'popular')).toMatchObject({ name: 'P', managedBy: 'config' });
  });
});

describe('servers on this machine', () => {
  const list: Json = { object: 'list', data: [{ id: 'llama3:8b' }, { id: 'org/nomic-embed' }] };

  it("are asked once each, and their models get the operator's price", async () => {
    const asked: string[] = [];
    const probe = async (url: string) => {
      asked.push(url);
      return url.includes(':11434/') ? list : undefined;
    };
    const found = await discoverServers({}, probe, 3000);
    expect(asked.sort()).toEqual([
      'http://127.0.0.1:11434/v1/models',
      'http://127.0.0.1:8000/v1/models',
      'http://127.0.0.1:8080/v1/models',
    ]);
    const desired = desiredCatalog(sources({ found, sandbox: false }));
    expect(desired.providers[0]).toMatchObject({ id: 'ollama', auth: 'none', secrets: [], managedBy: 'environment' });
    expect(desired.models.map((model) => [model.id, model.kind, model.routes[0]?.model])).toEqual([
      ['ollama/llama3:8b', 'chat', 'llama3:8b'],
      ['ollama/org-nomic-embed', 'embedding', 'org/nomic-embed'],
    ]);
    expect(desired.models[0]?.rates.perUnit.inputFresh).toBe(7n);
  });

  it('never include ourselves, and one that fails hides no other', async () => {
    const probe = async (url: string): Promise<Json | undefined> => {
      if (url.includes(':8080')) throw new Error('asked itself');
      if (url.includes(':8000')) throw new Error('refused');
      return list;
    };
    expect((await discoverServers({}, probe, 8080)).map((server) => server.vendor.id)).toEqual(['ollama']);
  });
});
