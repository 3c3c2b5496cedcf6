/** One provider per protocol on the fake vendor, one model on each, one account with one key. */
import type { FakeVendor } from '../fake-vendor/index.ts';

const PRICE = { input: 15_000, output: 60_000, cache_read: 7_500, cache_write_5m: 18_750, cache_write_1h: 30_000 };
const ALL = [
  'vision',
  'tools',
  'json_schema',
  'json_object',
  'reasoning',
  'streaming',
  'audio_input',
  'files',
  'seed',
  'logprobs',
];

export function defaultConfig(vendor: FakeVendor): Record<string, unknown> {
  const { baseUrls } = vendor;
  const timeouts = { connect_ms: 2_000, first_event_ms: 20_000, idle_ms: 20_000, total_ms: 60_000 };
  const provider = (id: string, protocol: keyof FakeVendor['baseUrls']) => ({
    id,
    protocol,
    base_url: baseUrls[protocol],
    api_key: `up-${id}-secret`,
    timeouts,
  });
  const model = (id: string, provider: string, more: object = {}) => ({
    id,
    routes: [{ provider, model: 'up-model' }],
    price: PRICE,
    context: 128_000,
    max_output: 16_384,
    capabilities: ALL,
    ...more,
  });
  return {
    // A busy test machine is not an overloaded gateway.
    settings: { discovery: false, max_event_loop_lag_ms: 600_000 },
    providers: [
      provider('chat-a', 'openai-chat'),
      provider('chat-b', 'openai-chat'),
      provider('messages-a', 'anthropic-messages'),
      provider('responses-a', 'openai-responses'),
      provider('gemini-a', 'gemini-generate'),
    ],
    models: [
      model('mock/chat', 'chat-a', { categories: ['popular', 'economical'] }),
      model('mock/two', 'chat-a', {
        routes: [
          { provider: 'chat-a', model: 'up-a', priority: 1 },
          { provider: 'chat-b', model: 'up-b', priority: 2 },
        ],
      }),
      model('mock/claude', 'messages-a'),
      model('mock/responses', 'responses-a'),
      model('mock/gemini', 'gemini-a'),
      model('mock/plain', 'chat-a', { capabilities: ['streaming'] }),
      {
        id: 'mock/embed',
        kind: 'embedding',
        routes: [{ provider: 'chat-a', model: 'up-embed' }],
        price: { input: 2_000 },
      },
      {
        id: 'mock/tts',
        kind: 'speech',
        routes: [{ provider: 'chat-a', model: 'up-tts' }],
        price: { characters: 1_500_000 },
      },
      {
        id: 'mock/stt',
        kind: 'transcription',
        routes: [{ provider: 'chat-a', model: 'up-stt' }],
        price: { seconds: 10_000_000 },
      },
    ],
    groups: [{ id: 'economical', default: 'mock/chat', models: ['mock/chat'] }],
    accounts: [
      {
        id: 'acme',
        name: 'Acme',
        balance: 100_000,
        keys: [{ id: 'main', key: 'dg-test-main', rules: { default_model: 'mock/chat' } }],
      },
    ],
  };
}
