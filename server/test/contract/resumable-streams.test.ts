/** Streams that outlive their connection: cut at every frame in every protocol, continued, charged once. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, createGate, faults, rawStream } from '../fake-vendor/index.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { receiptOf } from '../money/receipts.ts';
import { describeCorpus } from '../protocols/corpus.ts';

const clock = new MovedClock();
const accounts = [
  {
    id: 'acme',
    balance: 1_000_000,
    keys: [
      { id: 'main', key: 'dg-test-main' },
      { id: 'always', key: 'dg-test-always', rules: { resume_seconds: 60 } },
      { id: 'narrow', key: 'dg-test-narrow', rules: { models: ['mock/claude'] } },
    ],
  },
  { id: 'other', balance: 100_000, keys: [{ id: 'other', key: 'dg-test-other' }] },
  { id: 'thin', balance: 12, keys: [{ id: 'thin', key: 'dg-test-thin' }] },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ clock, config: { accounts, settings: { resume_max_stream_bytes: 65_536 } } });
}, 120_000);
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

type Init = RequestInit & { key?: string };
const svc = { resume_seconds: 60 };
const PROTOCOLS = {
  chat: { path: '/api/v1/chat/completions', body: { messages: [{ role: 'user', content: 'سلام' }] } },
  messages: { path: '/api/v1/messages', body: { max_tokens: 500, messages: [{ role: 'user', content: 'سلام' }] } },
  responses: { path: '/api/v1/responses', body: { input: 'سلام' } },
} as const;
type Protocol = keyof typeof PROTOCOLS;

function ask(protocol: Protocol, fields: object = {}, init: Init = {}): Promise<Response> {
  const { path, body } = PROTOCOLS[protocol];
  return gateway.fetch(path, {
    ...init,
    method: 'POST',
    body: JSON.stringify({ model: 'mock/chat', stream: true, svc, ...body, ...fields }),
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  });
}

const continued = (id: string, after?: number | string, init: Init = {}) =>
  gateway.fetch(`/api/v1/requests/${id}/stream`, {
    ...init,
    headers: after === undefined ? {} : { 'last-event-id': String(after) },
  });
const idOf = (response: Response) => response.headers.get('x-svc-request-id') ?? '';
const framesIn = (text: string) => text.split(/(?<=\n\n)/);

/** Reads until so many frames are there, and cuts the connection. */
async function readAndCut(response: Response, frames: number): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (framesIn(text).filter((frame) => frame.endsWith('\n\n')).length < frames) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader?.cancel();
  return framesIn(text).slice(0, frames).join('');
}

const ANSWERS = {
  text: { text: 'سلام دنیا، this is 🌍 the end', pieces: 5, reasoning: 'first\n\nthink' },
  tools: { text: 'calling', toolCalls: [{ name: 'f', arguments: '{"a":"به\\n\\nبه"}' }] },
};

describe.each(Object.keys(PROTOCOLS) as Protocol[])('a stream of %s', (protocol) => {
  it.each(['mock/chat', 'mock/claude', 'mock/responses'])('of %s is continued after every frame', async (model) => {
    for (const given of Object.values(ANSWERS)) {
      gateway.vendor.reset();
      gateway.vendor.next(answer(given));
      const response = await ask(protocol, { model });
      expect(response.headers.get('x-svc-resume-seconds')).toBe('60');
      const whole = await response.text();
      const frames = framesIn(whole);
      expect(frames.map((frame) => /^id: (\d+)\n/.exec(frame)?.[1])).toEqual(frames.map((_, at) => String(at + 1)));
      for (let cut = 0; cut <= frames.length; cut++) {
        const rest = await (await continued(idOf(response), cut)).text();
        expect(frames.slice(0, cut).join('') + rest).toBe(whole);
      }
      expect(gateway.vendor.requests).toHaveLength(1);
    }
  });

  it('whose connection is cut at every frame is made once, charged once, and joined byte for byte', async () => {
    gateway.vendor.next(answer(ANSWERS.text));
    const count = framesIn(await (await ask(protocol)).text()).length;
    for (let cut = 1; cut < count; cut++) {
      gateway.vendor.reset();
      const gate = createGate();
      gateway.vendor.next(faults.stallAfter(3, gate, ANSWERS.text));
      const response = await ask(protocol);
      const early = cut <= 2;
      if (!early) gate.open();
      const first = await readAndCut(response, cut);
      const rest = continued(idOf(response), cut).then((again) => again.text());
      if (early) gate.open();
      const whole = await (await continued(idOf(response))).text();
      expect(first + (await rest)).toBe(whole);
      const receipt = await receiptOf(gateway, response);
      expect(receipt).toMatchObject({ state: 'completed' });
      expect(receipt.usage?.completion_tokens).toBeGreaterThan(0);
      expect(gateway.vendor.requests).toHaveLength(1);
    }
  });
});

const RECORDED = [
  ['openai-chat', 'chat', 'mock/chat'],
  ['anthropic-messages', 'messages', 'mock/claude'],
  ['openai-responses', 'responses', 'mock/responses'],
] as const;
/** The longest recordings would only repeat their kind of frame. */
const MOST_FRAMES = 40;
const MOST_STREAMS = 12;

for (const [api, protocol, model] of RECORDED) {
  describeCorpus(`recorded streams of ${api}`, [api], (exchanges) => {
    it('are continued after every frame', async () => {
      const streams = exchanges.filter(({ status, stream, resp }) => {
        const frames = status === 200 && stream && typeof resp === 'string' ? framesIn(resp).length : 0;
        return frames > 2 && frames <= MOST_FRAMES;
      });
      expect(streams.length).toBeGreaterThan(0);
      for (const { resp } of streams.slice(0, MOST_STREAMS)) {
        gateway.vendor.reset();
        gateway.vendor.next(rawStream(resp));
        const response = await ask(protocol, { model });
        const whole = await response.text();
        const frames = framesIn(whole);
        for (let cut = 0; response.status === 200 && cut <= frames.length; cut++) {
          const rest = await (await continued(idOf(response), cut)).text();
          expect(frames.slice(0, cut).join('') + rest).toBe(whole);
        }
      }
    });
  });
}

describe('a stream that can be continued', () => {
  it('goes on without its reader, and its hold grows until the wallet is empty', async () => {
    const text = Array.from({ length: 3_000 }, () => 'the').join(' ');
    gateway.vendor.next(answer({ text, pieces: 200, usage: { input: 8, output: 3_000 } }));
    const response = await ask('chat', {}, { key: 'dg-test-thin' });
    await readAndCut(response, 1);
    const whole = await (await continued(idOf(response), 0, { key: 'dg-test-thin' })).text();
    expect(whole).toContain('wallet or spend cap cannot pay for a longer answer');
    const receipt = await receiptOf(gateway, response, 'dg-test-thin');
    expect(Number(receipt.cost)).toBeGreaterThan(1);
    expect(Number(receipt.cost)).toBeLessThanOrEqual(12);
  });

  it('is cancelled by its id: stream_cancelled ends it, and what was written is charged', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(4, gate, { text: 'one two three four five six seven eight' }));
    const response = await ask('chat');
    const first = await readAndCut(response, 2);
    const request = await gateway.vendor.received(0);
    const cancel = (key: string) =>
      gateway.fetch(`/api/v1/requests/${idOf(response)}/stream`, { method: 'DELETE', key });
    expect((await cancel('dg-test-other')).status).toBe(404);
    expect(await (await cancel(gateway.key)).json()).toMatchObject({ object: 'request.stream', cancelled: true });
    expect(await request.ended).toBe('aborted');
    gate.open();
    const rest = await (await continued(idOf(response), 2)).text();
    expect(first + rest).toMatch(/^id: 1\n.*stream_cancelled.*\n\n$/s);
    expect(await receiptOf(gateway, response)).toMatchObject({ state: 'client_closed' });
    expect((await cancel(gateway.key)).status).toBe(404);
  });

  it('is refused by name where it cannot be: id, account, number, time', async () => {
    const response = await ask('chat');
    await response.text();
    const id = idOf(response);
    const told = async (answered: Response) => {
      const { error } = (await answered.json()) as { error: { code: string; param?: string } };
      return `${answered.status} ${error.code} ${error.param ?? ''}`;
    };
    expect(await told(await continued('req_none'))).toBe('404 not_found ');
    expect(await told(await continued(id, 0, { key: 'dg-test-other' }))).toBe('404 not_found ');
    expect(await told(await continued(id, 0, { key: 'dg-test-narrow' }))).toBe('403 model_not_allowed model');
    expect(await told(await continued(id, 'abc'))).toBe('400 invalid_request Last-Event-ID');
    expect(await told(await continued(id, 999))).toBe('400 invalid_request Last-Event-ID');
    const plain = await ask('chat', { svc: {} });
    expect(plain.headers.get('x-svc-resume-seconds')).toBeNull();
    expect(await plain.text()).not.toContain('id: 1\n');
    expect(await told(await continued(idOf(plain)))).toBe('410 stream_gone ');
    clock.moved += 61_000;
    expect(await told(await continued(id))).toBe('410 stream_gone ');
    expect(await told(await ask('chat', { stream: false }))).toBe('400 invalid_request svc.resume_seconds');
    expect(await told(await ask('chat', { svc: { resume_seconds: 601 } }))).toBe(
      '400 invalid_request svc.resume_seconds',
    );
    expect(await told(await ask('chat', { svc: { resume_seconds: -1 } }))).toBe(
      '400 invalid_request svc.resume_seconds',
    );
  });

  it('that outgrows its room says which frames are gone (stream_gone), and a reader that stays gets them all', async () => {
    const text = 'x'.repeat(200_000);
    gateway.vendor.next(answer({ text, pieces: 400 }));
    const response = await ask('chat');
    const whole = await response.text();
    expect(whole.length).toBeGreaterThan(200_000);
    const gone = await continued(idOf(response), 1);
    expect(gone.status).toBe(410);
    const { error } = (await gone.json()) as { error: { code: string; first_event_id: number } };
    expect(error.code).toBe('stream_gone');
    const from = error.first_event_id - 1;
    const rest = await (await continued(idOf(response), from)).text();
    expect(framesIn(whole).slice(from).join('')).toBe(rest);
  });

  it('is what the rule of a key says, unless the request says otherwise', async () => {
    const key = 'dg-test-always';
    const kept = await ask('chat', { svc: undefined }, { key });
    expect(kept.headers.get('x-svc-resume-seconds')).toBe('60');
    expect(await kept.text()).toMatch(/^id: 1\n/);
    const not = await ask('chat', { svc: { resume_seconds: 0 } }, { key });
    expect(await not.text()).not.toContain('id: 1\n');
    expect((await ask('chat', { svc: undefined, stream: false }, { key })).status).toBe(200);
  });
});

describe('the same request under its Idempotency-Key', () => {
  it('goes on after Last-Event-ID, while it runs and when it has ended', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(3, gate, ANSWERS.text));
    const once = (after: number) =>
      ask('messages', {}, { headers: { 'idempotency-key': 'resumed-1', 'last-event-id': String(after) } });
    const response = await once(0);
    const first = await readAndCut(response, 2);
    const joined = await once(2);
    expect(joined.headers.get('x-svc-original-request-id')).toBe(idOf(response));
    gate.open();
    const rest = await joined.text();
    const whole = first + rest;
    const frames = framesIn(whole);
    expect(await (await continued(idOf(response))).text()).toBe(whole);
    // Long after its frames are gone its key still has the answer.
    clock.moved += 120_000;
    for (let cut = 0; cut <= frames.length; cut++)
      expect(frames.slice(0, cut).join('') + (await (await once(cut)).text())).toBe(whole);
    expect((await once(frames.length + 1)).status).toBe(400);
    expect(gateway.vendor.requests).toHaveLength(1);
    expect(await receiptOf(gateway, response)).toMatchObject({ state: 'completed' });
  });

  it('never begins a new answer in the middle', async () => {
    const headers = { 'idempotency-key': 'resumed-2', 'last-event-id': '3' };
    expect((await ask('chat', {}, { headers })).status).toBe(410);
    expect(gateway.vendor.requests).toHaveLength(0);
  });
});
