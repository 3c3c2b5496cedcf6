import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkConfig, readConfig } from '../../src/config/index.ts';

/** The forms of the specification's example, written anew: flow and block mappings, every section, a secret by variable. */
const FILE = `
money: { exchange_rate: 90000, margin: 0.05, calendar: { time_zone: Asia/Tehran, month: gregorian } }
providers:
  - { id: north, protocol: openai-chat, base_url: "http://127.0.0.1:9100/v1/", api_key: one }
  - { id: south, protocol: anthropic-messages, base_url: "http://127.0.0.1:9100", api_key_env: SOUTH_KEY }
  - { id: east, protocol: gemini-generate, base_url: "http://127.0.0.1:9100/v1beta", api_keys: [a, b] }
  - id: west
    protocol: openai-responses
    base_url: http://127.0.0.1:9100/v1
    timeouts: { connect_ms: 2000, first_event_ms: 20000, idle_ms: 20000, total_ms: 600000 }
    quirks: { rejects_stream_options: true, max_tokens_field: max_tokens }
models:
  - id: lab/chat
    name: Lab chat
    kind: chat
    routes:
      - { provider: north, model: up-chat, priority: 1, weight: 1 }
      - { provider: west, model: up-chat, priority: 2, weight: 3 }
    price: { input: 15000, output: 60000, cache_read: 7500, cache_write_5m: 18750, cache_write_1h: 30000 }
    context: 128000
    max_output: 16384
    capabilities: [vision, tools, json_schema, json_object, reasoning, streaming]
    categories: [popular]
  - { id: lab/plain, routes: [{ provider: south, model: c }], price: { input: 300000, output: 1500000, request: 0.5 } }
  - { id: lab/embed, kind: embedding, routes: [{ provider: north, model: e }], price: { input: 2000 } }
  - { id: lab/tts, kind: speech, routes: [{ provider: north, model: t }], price: { characters: 1500000 } }
  - { id: lab/stt, kind: transcription, routes: [{ provider: north, model: s }], price: { seconds: 10000000 } }
groups:
  - { id: economical, default: lab/chat, models: [lab/chat, lab/plain] }
accounts:
  - id: acme
    balance: 100000
    rules: { rpm: 600, caps: { daily: null, monthly: 5000.5, total: null } }
    keys:
      - id: main
        key: dg-test-main
        rules: { default_model: lab/chat, models: null, endpoints: [chat.completions], ips: null, expires_at: null, paused: false, rpm: 300, tpm: 1000000 }
settings: { trusted_proxies: [10.0.0.0/8], wallet_minimum: 10, charge_interrupted: false, default_output_tokens: 500, timeouts: { idle_ms: 5000 } }
sandbox: false
`;

describe('a whole file', () => {
  const config = readConfig(FILE, { SOUTH_KEY: 'south-secret' });

  it('has no mistakes and no warnings', () => {
    expect(config.mistakes).toEqual([]);
    expect(config.warnings).toEqual([]);
    expect(checkConfig('dargah.yaml', config)).toEqual({
      ok: true,
      lines: ['dargah.yaml: no mistakes (4 providers, 5 models, 1 group, 1 account, 1 key)'],
    });
  });

  it('gives providers with the usual authentication of their protocol', () => {
    expect(config.catalog.providers.map(({ id, auth, secrets, baseUrl }) => [id, auth, secrets, baseUrl])).toEqual([
      ['north', 'bearer', ['one'], 'http://127.0.0.1:9100/v1'],
      ['south', 'x-api-key', ['south-secret'], 'http://127.0.0.1:9100'],
      ['east', 'x-goog-api-key', ['a', 'b'], 'http://127.0.0.1:9100/v1beta'],
      ['west', 'none', [], 'http://127.0.0.1:9100/v1'],
    ]);
    expect(config.catalog.providers[3]).toMatchObject({
      timeouts: { connectMs: 2000, firstEventMs: 20_000, idleMs: 20_000, totalMs: 600_000 },
      quirks: { rejectsStreamOptions: true, maxTokensField: 'max_tokens' },
    });
  });

  it('gives models with exact prices', () => {
    const [chat, plain, , tts] = config.catalog.models;
    expect(chat?.rates.perUnit).toEqual({
      inputFresh: 15_000n,
      output: 60_000n,
      cacheRead: 7500n,
      cacheWrite5m: 18_750n,
      cacheWrite1h: 30_000n,
    });
    expect(chat?.routes.map(({ provider, priority, weight }) => [provider, priority, weight])).toEqual([
      ['north', 1, 1],
      ['west', 2, 3],
    ]);
    expect(plain).toMatchObject({
      kind: 'chat',
      name: 'lab/plain',
      capabilities: ['json_object', 'streaming', 'tools'],
    });
    expect(plain?.rates.perRequest).toBe(500_000n);
    expect(tts?.rates.perUnit).toEqual({ characters: 1_500_000n });
  });

  it('gives accounts, money and settings', () => {
    expect(config.accounts).toMatchObject([
      { id: 'acme', name: 'acme', balance: 100_000_000_000n, keys: [{ id: 'main', text: 'dg-test-main' }] },
    ]);
    expect(config.money).toMatchObject({ exchangeRate: '90000', margin: '0.05', calendar: { month: 'gregorian' } });
    expect(config.settings).toMatchObject({
      sandbox: false,
      trustedProxies: ['10.0.0.0/8'],
      walletMinimum: 10_000_000n,
      chargeInterrupted: false,
    });
    expect(config.settings.limits.defaultOutputTokens).toBe(500);
    expect(config.settings.timeouts).toMatchObject({ idleMs: 5000, connectMs: 5000 });
  });

  it('an unset variable is a warning: the file stays usable without that provider', () => {
    const { mistakes, warnings } = readConfig(FILE, {});
    expect(mistakes).toEqual([]);
    expect(warnings).toEqual([
      { path: 'providers[1].api_key_env', message: expect.stringContaining('SOUTH_KEY is not set'), line: 5 },
    ]);
  });

  it('an empty file is all defaults', () => {
    const { mistakes, settings, catalog } = readConfig('# nothing\n', {});
    expect(mistakes).toEqual([]);
    expect(settings.sandbox).toBeUndefined();
    expect(catalog.models).toEqual([]);
  });

  it('may route to the sandbox and to a vendor switched on by its variable', () => {
    const text = `models:
  - { id: a/b, routes: [{ provider: sandbox, model: echo }, { provider: openai, model: o3 }], price: { input: 10, output: 10 } }`;
    const { mistakes, catalog } = readConfig(text, { OPENAI_API_KEY: 'x' });
    expect(mistakes).toEqual([]);
    expect(catalog.models[0]?.routes[1]?.quirks).toMatchObject({ rejectsSampling: true });
    expect(readConfig(text, {}).mistakes.map((one) => one.path)).toEqual(['models[0].routes[1].provider']);
  });
});

it('the example at the root of the repository is a working file', () => {
  const text = readFileSync(new URL('../../../config.example.yaml', import.meta.url), 'utf8');
  const config = readConfig(text, {});
  expect(checkConfig('config.example.yaml', config).lines).toEqual([
    expect.stringMatching(/^config\.example\.yaml: no mistakes/),
  ]);
  expect(config.catalog.models.every((model) => model.routes.every((route) => route.provider === 'sandbox'))).toBe(
    true,
  );
});
