/** Clients that leave, stall or come in too great a number: none of them may cost the others anything. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGate, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { micro, receiptOf, walletOf } from './receipts.ts';
import { routesConfig } from './routes-config.ts';

const MAX_AT_ONCE = 8;
let gateway: TestGateway;

beforeAll(async () => {
  const vendor = await startFakeVendor();
  const settings = {
    max_concurrent_requests: MAX_AT_ONCE,
    keepalive_ms: 1_000,
    reader_idle_ms: 1_000,
    request_ms: 2_000,
  };
  gateway = await startGateway({ vendor, config: routesConfig(vendor, settings) });
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => gateway.vendor.reset());

const STREAM = { model: 'r/three', stream: true, messages: [{ role: 'user', content: 'hello' }] };
/** As the prompt is held for; micro-toman per token. */
const PROMPT_TOKENS = 8n;
const INPUT_PRICE = 15_000n;
const TEXT = 'Some words that come before the silence.';

async function nothingHeld(): Promise<void> {
  await eventually(async () => expect((await walletOf(gateway)).held).toBe('0'));
}

describe('a client that leaves', () => {
  it('before the first event: the provider is let go and only the prompt it had is charged', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallBeforeHeaders(gate));
    const before = await walletOf(gateway);
    const leaving = new AbortController();
    const asked = gateway.chat(STREAM, { signal: leaving.signal }).catch(() => 'left');
    await gate.reached;
    leaving.abort();
    expect(await asked).toBe('left');
    const request = await gateway.vendor.received(0);
    expect(await request.ended).toBe('aborted');
    gate.open();
    await nothingHeld();
    const spent = micro(before.balance) - micro((await walletOf(gateway)).balance);
    expect(spent > 0n && spent <= PROMPT_TOKENS * INPUT_PRICE).toBe(true);
    expect(gateway.vendor.requests).toHaveLength(1);
  });

  it('in the middle: the provider is let go and what was delivered is charged', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallAfter(2, gate, { text: TEXT }));
    const leaving = new AbortController();
    const response = await gateway.chat(STREAM, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    const request = await gateway.vendor.received(0);
    expect(await request.ended).toBe('aborted');
    gate.open();
    const requestId = response.headers.get('x-svc-request-id') ?? '';
    const receipt = await eventually(async () => {
      const found = await receiptOf(gateway, requestId);
      expect(found.state).toBe('client_closed');
      return found;
    });
    expect(micro(receipt.cost) > 0n).toBe(true);
    expect(receipt.attempts).toMatchObject([{ outcome: 'aborted' }]);
    await nothingHeld();
  });
});

describe('a silent provider', () => {
  it('is bridged by keep-alives between frames', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallAfter(2, gate, { text: TEXT }));
    const response = await gateway.chat(STREAM);
    const decoder = new TextDecoder();
    let seen = '';
    for await (const chunk of response.body ?? []) {
      seen += decoder.decode(chunk as Uint8Array, { stream: true });
      if (/^:/m.test(seen)) gate.open();
    }
    expect(seen.split('\n\n').some((frame) => frame.startsWith(':'))).toBe(true);
    expect(seen.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });
});

describe('too much at once', () => {
  it('is refused at once, before its body is read, with the time to come back', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallBeforeHeaders(gate, { text: TEXT }));
    const running = Array.from({ length: MAX_AT_ONCE }, () => gateway.chat(STREAM));
    await gateway.vendor.received(MAX_AT_ONCE - 1);
    const refused = await gateway.chat(STREAM);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('x-should-retry')).toBe('true');
    expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } });
    const upload = await open();
    upload.write(`${head('chat/completions', 30_000_000)}{"model":`);
    expect(await firstLine(upload)).toContain('503');
    upload.destroy();
    gate.open();
    for (const response of await Promise.all(running)) expect(await response.text()).toContain('[DONE]');
    expect(gateway.vendor.requests).toHaveLength(MAX_AT_ONCE);
    expect((await gateway.chat(STREAM)).status).toBe(200);
  });
});

describe('slow clients', () => {
  it('one that never finishes its headers, and one that never finishes its body, are cut', async () => {
    const headers = await open();
    const body = await open();
    const cut = Promise.all([once(headers, 'close'), once(body, 'close')]);
    headers.resume().write('POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\n');
    body.resume().write(`${head('chat/completions', 1_000)}{"model":`);
    await cut;
    expect((await gateway.chat(STREAM)).status).toBe(200);
  });

  it('one that never reads its stream is let go, and its request settled', async () => {
    let sent = 0;
    gateway.vendor.always(async (wire) => {
      wire.head(200, { 'content-type': 'text/event-stream' });
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
      const choices = [{ index: 0, delta: { content: 'x'.repeat(60_000) }, finish_reason: null }];
      while (!wire.gone) {
        await wire.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`);
        sent++;
      }
    });
    const deaf = await open();
    deaf.pause();
    const body = JSON.stringify(STREAM);
    deaf.write(head('chat/completions', Buffer.byteLength(body)) + body);
    const request = await gateway.vendor.received(0);
    expect(await request.ended).toBe('aborted');
    expect(sent).toBeGreaterThan(0);
    await nothingHeld();
    deaf.destroy();
  });
});

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(gateway.origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

function head(path: string, length: number): string {
  const lines = [
    `POST /api/v1/${path} HTTP/1.1`,
    'host: gateway',
    `authorization: Bearer ${gateway.key}`,
    'content-type: application/json',
    `content-length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve) =>
    socket.once('data', (data: Buffer) => resolve(data.toString().split('\r\n')[0] ?? '')),
  );
}
