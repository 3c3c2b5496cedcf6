/** Speech that is refused: what the text and the voice may be, and what a poor caller is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestGateway } from '../harness/start-gateway.ts';
import { startAudioGateway } from './audio-gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startAudioGateway();
});

afterAll(() => gateway.stop());

beforeEach(() => gateway.vendor.reset());

const post = (body: object, init: RequestInit & { key?: string } = {}) =>
  gateway.fetch('/api/v1/audio/speech', {
    ...init,
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  });
const hello = { model: 'mock/tts', input: 'سلام دنیا', voice: 'alloy' };

describe('speech that is refused', () => {
  it.each([
    ['model', { ...hello, model: 'mock/stt' }],
    ['model', { input: 'x', voice: 'alloy' }],
    ['input', { ...hello, input: '' }],
    ['input', { ...hello, input: 'x'.repeat(4097) }],
    ['input', { ...hello, input: ['x'] }],
    ['voice', { ...hello, voice: undefined }],
    ['voice', { ...hello, voice: 7 }],
    ['speed', { ...hello, speed: 5 }],
    ['response_format', { ...hello, response_format: 'midi' }],
    ['stream_format', { ...hello, stream_format: 'websocket' }],
  ])('names %s', async (param, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('takes exactly the longest text', async () => {
    const response = await post({ ...hello, input: 'x'.repeat(4096) });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  it('tells a poor caller what is missing, in money and not in tokens', async () => {
    const response = await post({ ...hello, input: 'x'.repeat(100) }, { key: 'dg-test-poor' });
    expect(response.status).toBe(402);
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code: 'insufficient_balance', missing_toman: '130' });
    expect(error).not.toHaveProperty('affordable_tokens');
  });
});
