/** Forms that are broken, oversized or forged: each gets its answer, none reaches a provider or leaves a file behind. */
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestGateway } from '../harness/start-gateway.ts';
import { startAudioGateway, uploadsLeft } from './audio-gateway.ts';
import { m4a, wav } from './sounds.ts';

const MAX_BYTES = 262_144;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startAudioGateway({ max_upload_bytes: MAX_BYTES });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());
afterEach(async () => {
  expect(await uploadsLeft(gateway)).toEqual([]);
  expect(gateway.vendor.requests).toHaveLength(0);
});

type Field = [string, string | File];
const sound = (name = 'a.wav', bytes: Uint8Array<ArrayBuffer> = wav(1)) =>
  new File([bytes], name, { type: 'audio/wav' });
const model: Field = ['model', 'mock/stt'];

async function refused(body: string | FormData, init: { key?: string; type?: string } = {}) {
  const response = await gateway.fetch('/api/v1/audio/transcriptions', {
    method: 'POST',
    body,
    ...(init.key === undefined ? {} : { key: init.key }),
    ...(init.type === undefined ? {} : { headers: { 'content-type': init.type } }),
  });
  const { error } = (await response.json()) as { error: { code: string; param: string | null } };
  return { status: response.status, code: error.code, param: error.param ?? null };
}

function form(...fields: Field[]): FormData {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  return data;
}

/** Written by hand, to break it. */
const part = (name: string, value: string, more = '') =>
  `--b0\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const filePart = part('file', 'RIFFxxxxWAVE', '; filename="a.wav"');
const TYPE = 'multipart/form-data; boundary=b0';

describe('a form that is refused', () => {
  it.each<[string, () => FormData, string | null, number]>([
    ['without a file', () => form(model), 'file', 400],
    ['with two files', () => form(model, ['file', sound()], ['file', sound('b.wav')]), 'file', 400],
    ['with a file in another field', () => form(model, ['audio', sound()]), 'audio', 400],
    ['with text instead of a file', () => form(model, ['file', 'RIFF']), 'file', 400],
    ['without a model', () => form(['file', sound()]), 'model', 400],
    ['with two models', () => form(model, model, ['file', sound()]), 'model', 400],
    ['with an unknown model', () => form(['model', 'mock/none'], ['file', sound()]), 'model', 404],
    ['with a model of another kind', () => form(['model', 'mock/tts'], ['file', sound()]), 'model', 400],
    ['with an empty file', () => form(model, ['file', sound('a.wav', new Uint8Array(0))]), 'file', 400],
    [
      'with a file that is no audio',
      () => form(model, ['file', new File(['hello'], 'notes.txt', { type: 'text/plain' })]),
      'file',
      400,
    ],
    ['with a file too large', () => form(model, ['file', sound('a.wav', new Uint8Array(MAX_BYTES + 1))]), 'file', 413],
    [
      'with a file far too large, before its model',
      () => form(['file', sound('a.wav', new Uint8Array(MAX_BYTES * 40))], model),
      'file',
      413,
    ],
    [
      'with a header that claims two days',
      () => form(model, ['file', sound('a.m4a', new Uint8Array(m4a(172_800, 5_000)))]),
      'file',
      400,
    ],
    [
      'with an unknown format',
      () => form(model, ['response_format', 'pdf'], ['file', sound()]),
      'response_format',
      400,
    ],
    ['with a temperature of words', () => form(model, ['temperature', 'warm'], ['file', sound()]), 'temperature', 400],
    ['with a stream of perhaps', () => form(model, ['stream', 'perhaps'], ['file', sound()]), 'stream', 400],
    ['with svc that is no JSON', () => form(model, ['svc', '{'], ['file', sound()]), 'svc', 400],
    [
      'with a field too large',
      () => form(model, ['prompt', 'x'.repeat(5 * 1024 * 1024)], ['file', sound()]),
      'prompt',
      413,
    ],
    [
      'with a hundred fields',
      () => form(model, ...Array.from({ length: 100 }, (_, i): Field => [`f${i}`, 'x']), ['file', sound()]),
      null,
      400,
    ],
  ])('%s', async (_name, make, param, status) => {
    expect(await refused(make())).toEqual({
      status,
      code: status === 404 ? 'model_not_found' : 'invalid_request',
      param,
    });
  });

  it('takes exactly the largest file', async () => {
    const response = await gateway.fetch('/api/v1/audio/transcriptions', {
      method: 'POST',
      body: form(model, ['file', sound('a.wav', new Uint8Array(MAX_BYTES))]),
    });
    expect(response.status).toBe(200);
    gateway.vendor.reset();
  });

  it.each([
    ['cut inside the file', `${part('model', 'mock/stt')}${filePart.slice(0, -10)}`, TYPE],
    ['cut between parts', `${part('model', 'mock/stt')}${filePart}`, TYPE],
    ['cut inside a header', `${part('model', 'mock/stt')}--b0\r\nContent-Dispo`, TYPE],
    ['with another boundary', `${part('model', 'mock/stt')}${filePart}--b0--\r\n`, 'multipart/form-data; boundary=b1'],
    ['without a boundary', `${filePart}--b0--\r\n`, 'multipart/form-data'],
    ['of no bytes', '', TYPE],
    ['of noise', 'x'.repeat(10_000), TYPE],
  ])('%s', async (_name, body, type) => {
    const answer = await refused(body, { type });
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])('as %s', async (type) => {
    expect(await refused('{"model":"mock/stt"}', { type })).toMatchObject({ status: 400, param: 'Content-Type' });
  });
});

describe('a caller that may not', () => {
  it('without a known key writes nothing to the disk', async () => {
    const big = form(model, ['file', sound('a.wav', new Uint8Array(MAX_BYTES * 20))]);
    expect(await refused(big, { key: 'dg-test-nobody' })).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });
  it('use this endpoint is told so before its file is read', async () => {
    const big = form(model, ['file', sound('a.wav', new Uint8Array(MAX_BYTES * 20))]);
    expect(await refused(big, { key: 'dg-test-speaker' })).toMatchObject({ status: 403, code: 'endpoint_not_allowed' });
  });
  it('pay for so long a recording is refused', async () => {
    const long = form(model, ['file', sound('a.wav', wav(3))]);
    expect(await refused(long, { key: 'dg-test-poor' })).toMatchObject({ status: 402, code: 'insufficient_balance' });
  });
});

it('leaves nothing behind when the client leaves inside the file', async () => {
  const { hostname, port } = new URL(gateway.origin);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/v1/audio/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\n` +
      `content-type: ${TYPE}\r\ncontent-length: 200000\r\n\r\n${part('model', 'mock/stt')}${filePart}`,
  );
  while ((await uploadsLeft(gateway)).length === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  while ((await uploadsLeft(gateway)).length > 0) await new Promise((resolve) => setImmediate(resolve));
});

it('answers others after all of this', async () => {
  const body = form(model, ['file', sound()]);
  const response = await gateway.fetch('/api/v1/audio/transcriptions', { method: 'POST', body });
  expect(response.status).toBe(200);
  gateway.vendor.reset();
});
