/**
 * Text that a provider sends in fields, blocks and events that nobody here knows. It reaches clients of the same protocol, so it
 * counts as output: in the charge when no usage is reported, and in the hold that grows while it arrives.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventFrame } from '../fake-vendor/frames.ts';
import { dataFrame, rawStream, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { receiptOf } from './receipts.ts';

const PIECES = Array.from({ length: 300 }, (_, at) => `piece ${at} of what the model wrote in a place that is new `);
/** About twelve tokens each. */
const TOKENS = PIECES.length * 12;
const OUTPUT_TOMAN = 0.06;

const account = (id: string, balance: number) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-${id}-key`, rules: {} }],
});

type Frames = (piece: string, at: number) => string[];
interface Place {
  path: string;
  model: string;
  /** Around the pieces: what every answer of the protocol has, with one word that is read. */
  open: string[];
  close: string[];
  piece: Frames;
}

const chunk = (choice: object, more: object = {}) =>
  dataFrame({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'up',
    ...more,
    choices: [{ index: 0, ...choice }],
  });
const CHAT: Omit<Place, 'piece'> = {
  path: '/api/v1/chat/completions',
  model: 'mock/chat',
  open: [chunk({ delta: { role: 'assistant', content: 'yes ' }, finish_reason: null })],
  close: [chunk({ delta: {}, finish_reason: 'stop' }), dataFrame('[DONE]')],
};
const event = (type: string, data: object) => eventFrame(type, { type, ...data });
const MESSAGES: Omit<Place, 'piece'> = {
  path: '/api/v1/messages',
  model: 'mock/claude',
  open: [
    event('message_start', {
      message: { id: 'm', type: 'message', role: 'assistant', model: 'up', content: [], usage: {} },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'yes ' } }),
  ],
  close: [
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null } }),
    event('message_stop', {}),
  ],
};
const RESPONSE = { id: 'r', object: 'response', status: 'in_progress', model: 'up', output: [] };
const RESPONSES: Omit<Place, 'piece'> = {
  path: '/api/v1/responses',
  model: 'mock/responses',
  open: [
    event('response.created', { response: RESPONSE }),
    event('response.output_item.added', {
      output_index: 0,
      item: { type: 'message', id: 'i', role: 'assistant', content: [] },
    }),
    event('response.output_text.delta', { item_id: 'i', output_index: 0, content_index: 0, delta: 'yes ' }),
  ],
  close: [event('response.completed', { response: { ...RESPONSE, status: 'completed' } })],
};

const PLACES: [string, Place][] = [
  ['a field of a delta', { ...CHAT, piece: (text) => [chunk({ delta: { musings: text } })] }],
  ['a field beside known text', { ...CHAT, piece: (text) => [chunk({ delta: { content: ' ', musings: text } })] }],
  ['a field of a choice', { ...CHAT, piece: (text) => [chunk({ delta: { content: ' ' }, commentary: { text } })] }],
  ['a field of a chunk', { ...CHAT, piece: (text) => [chunk({ delta: { content: ' ' } }, { commentary: [text] })] }],
  [
    'a field of a tool call',
    {
      ...CHAT,
      piece: (text, at) => [
        chunk({
          delta: { tool_calls: [{ index: at, id: `t${at}`, function: { name: 'f', arguments: '{}' }, note: text }] },
        }),
      ],
    },
  ],
  [
    'a delta of another type',
    {
      ...MESSAGES,
      piece: (text) => [event('content_block_delta', { index: 0, delta: { type: 'musing_delta', musing: text } })],
    },
  ],
  [
    'a block of another type',
    {
      ...MESSAGES,
      piece: (text, at) => [
        event('content_block_start', { index: at + 1, content_block: { type: 'musing', musing: text } }),
        event('content_block_stop', { index: at + 1 }),
      ],
    },
  ],
  [
    'text of a block of another type',
    {
      ...MESSAGES,
      piece: (text, at) => [
        event('content_block_start', { index: at + 1, content_block: { type: 'musing' } }),
        event('content_block_delta', { index: at + 1, delta: { type: 'text_delta', text } }),
        event('content_block_stop', { index: at + 1 }),
      ],
    },
  ],
  ['an event of another type', { ...MESSAGES, piece: (text) => [event('musing', { text })] }],
  [
    'a delta of another event',
    { ...RESPONSES, piece: (text) => [event('response.musing.delta', { output_index: 1, delta: text })] },
  ],
  [
    'an item of another type',
    {
      ...RESPONSES,
      piece: (text, at) => [
        event('response.output_item.added', { output_index: at + 1, item: { type: 'musing', id: `m${at}` } }),
        event('response.output_item.done', { output_index: at + 1, item: { type: 'musing', id: `m${at}`, text } }),
      ],
    },
  ],
  [
    'a field beside a known delta',
    {
      ...RESPONSES,
      piece: (text) => [
        event('response.output_text.delta', {
          item_id: 'i',
          output_index: 0,
          content_index: 0,
          delta: ' ',
          note: text,
        }),
      ],
    },
  ],
];

describe('text in a place that nobody knows', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    const defaults = defaultConfig(vendor) as { models: object[] };
    gateway = await startGateway({
      vendor,
      config: {
        ...defaults,
        models: defaults.models.map((model) => ({ ...model, capabilities: ['streaming'] })),
        accounts: [account('rich', 1_000_000), ...PLACES.map((_, at) => account(`thin${at}`, 60))],
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.vendor.close();
  });
  beforeEach(() => gateway.vendor.reset());

  const ask = ({ path, model }: Pick<Place, 'path' | 'model'>, key: string, more: object = {}) =>
    gateway.fetch(path, {
      method: 'POST',
      key: `dg-${key}-key`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        stream: true,
        ...(path.endsWith('responses') ? { input: 'hi' } : { messages: [{ role: 'user', content: 'hi' }] }),
        ...(path.endsWith('messages') && { max_tokens: 16_000 }),
        ...more,
      }),
    });
  const streamed = ({ open, close, piece }: Place) => rawStream([...open, ...PIECES.flatMap(piece), ...close]);

  it.each(PLACES)('is charged like any other where no usage is reported: %s', async (_name, place) => {
    gateway.vendor.always(streamed(place));
    const response = await ask(place, 'rich');
    expect(await response.clone().text()).toContain('piece 299');
    const { cost, usage_source } = await receiptOf(gateway, response, 'dg-rich-key');
    expect(usage_source).toBe('estimated');
    expect(Number(cost)).toBeGreaterThan(0.8 * TOKENS * OUTPUT_TOMAN);
    expect(Number(cost)).toBeLessThan(1.6 * TOKENS * OUTPUT_TOMAN);
  });

  // With `max_tokens`, which Messages must have, the hold was made before; the others grow.
  it.each(
    PLACES.map(([name, place], at) => [name, place, `thin${at}`] as const).filter(
      ([, { path }]) => !path.endsWith('messages'),
    ),
  )('goes out only as far as it is paid for: %s', async (_name, place, key) => {
    gateway.vendor.always(streamed(place));
    const response = await ask(place, key);
    const text = await response.clone().text();
    expect(text).toContain('piece 1 ');
    expect(text).not.toContain('piece 299');
    expect(text).toMatch(/"finish_reason":"length"|response\.incomplete/);
    const { cost } = await receiptOf(gateway, response, `dg-${key}-key`);
    expect(Number(cost)).toBeLessThanOrEqual(60);
    expect(Number(cost)).toBeGreaterThan(20);
  });

  it('counts in a whole answer too', async () => {
    const musings = PIECES.join('');
    const message = { role: 'assistant', content: 'yes', musings };
    const body = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'up',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    };
    gateway.vendor.always((wire) => {
      wire.head(200, { 'content-type': 'application/json' });
      wire.end(JSON.stringify(body));
    });
    const response = await ask(CHAT, 'rich', { stream: false });
    expect(await response.clone().text()).toContain('piece 299');
    const { cost } = await receiptOf(gateway, response, 'dg-rich-key');
    expect(Number(cost)).toBeGreaterThan(0.8 * TOKENS * OUTPUT_TOMAN);
  });

  it('what is the same in every chunk, ids, signatures and pictures are no text', async () => {
    const bytes = 'iVBORw0KGgo'.repeat(2_000);
    const noise = { commentary: 'served by region west', trace_id: 'x'.repeat(40), picture: bytes };
    const pieces = PIECES.map((_, at) =>
      chunk({ delta: { content: 'a ' } }, { ...noise, request_id: `request-${at}` }),
    );
    gateway.vendor.always(rawStream([...CHAT.open, ...pieces, ...CHAT.close]));
    const response = await ask(CHAT, 'rich');
    await response.clone().text();
    const { cost } = await receiptOf(gateway, response, 'dg-rich-key');
    expect(Number(cost)).toBeLessThan(1.5 * PIECES.length * OUTPUT_TOMAN);
  });
});
