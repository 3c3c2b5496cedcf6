/** How much memory a body takes while it comes, and what becomes of its pieces. */
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import { receiveBody } from '../../src/http/receive-body.ts';

const LIMIT = 32 * 1024 * 1024;
const CAN_GIVE_BACK = 'transfer' in ArrayBuffer.prototype;

afterEach(() => vi.restoreAllMocks());

interface Reading {
  payload: PassThrough;
  body: Promise<Buffer>;
  /** The sizes of the blocks that were taken. */
  taken(): number[];
}

function read(headers: Record<string, string>, socket: object = new Socket()): Reading {
  const payload = new PassThrough();
  const request = { routeOptions: { bodyLimit: LIMIT }, headers, raw: { socket } } as unknown as FastifyRequest;
  const taking = vi.spyOn(Buffer, 'allocUnsafe');
  const body = new Promise<Buffer>((resolve, reject) => {
    receiveBody(request, payload as never, (error, whole) => (whole ? resolve(whole) : reject(error)));
  });
  body.catch(() => undefined);
  return { payload, body, taken: () => taking.mock.calls.map(([bytes]) => bytes) };
}

/** Bytes of their own, as the parser hands them on. */
const piece = (bytes: number, value = 1) => Buffer.alloc(bytes, value);
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('of 200 KB is one block of its length', async () => {
  const { payload, body, taken } = read({ 'content-length': '200000' });
  for (const bytes of [65_000, 65_536, 65_536, 3_928]) payload.write(piece(bytes));
  payload.end();
  expect((await body).length).toBe(200_000);
  expect(taken()).toEqual([200_000]);
});

it.each([
  ['that is announced', { 'content-length': String(LIMIT) }],
  ['of unknown length', {}],
])('%s takes in proportion to what comes', async (_what, headers) => {
  const { payload, taken } = read(headers);
  await turn();
  expect(taken()).toEqual([]);
  payload.write(piece(1));
  await turn();
  expect(taken()).toEqual([4_096]);
  payload.write(piece(100_000));
  await turn();
  expect(taken()).toEqual([4_096, 4 * 100_001]);
});

it('of unknown length is of its own length in the end', async () => {
  const { payload, body } = read({});
  payload.write(piece(70_000, 1));
  payload.end(piece(30_000, 2));
  const whole = await body;
  expect(whole.equals(Buffer.concat([Buffer.alloc(70_000, 1), Buffer.alloc(30_000, 2)]))).toBe(true);
  expect(whole.buffer.byteLength).toBe(100_000);
});

it('gives its pieces back, but not those of a caller within the process', async () => {
  const [sent, kept] = [piece(100_000), piece(100_000)];
  const wire = read({});
  wire.payload.end(sent);
  expect((await wire.body).length).toBe(100_000);
  expect(sent.length).toBe(CAN_GIVE_BACK ? 0 : 100_000);
  const within = read({}, {});
  within.payload.end(kept);
  expect((await within.body).equals(kept)).toBe(true);
});

it('without bytes is empty', async () => {
  const { payload, body, taken } = read({ 'content-length': '0' });
  payload.end();
  expect((await body).length).toBe(0);
  expect(taken()).toEqual([]);
});

it.each([
  ['shorter', 4],
  ['longer', 6],
])('that is %s than announced is refused', async (_what, bytes) => {
  const { payload, body } = read({ 'content-length': '5' });
  payload.end(piece(bytes));
  await expect(body).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
});

it('beyond the limit is refused, by its length or at the piece that is too much', async () => {
  const announced = read({ 'content-length': String(LIMIT + 1) });
  await expect(announced.body).rejects.toMatchObject({ status: 413 });
  const { payload, body } = read({});
  payload.write(piece(LIMIT));
  payload.write(piece(1));
  await expect(body).rejects.toMatchObject({ status: 413 });
});

it('that breaks off leaves no block behind', async () => {
  const { payload, body } = read({});
  payload.write(piece(100_000));
  await turn();
  const [block] = vi.mocked(Buffer.allocUnsafe).mock.results.map(({ value }) => value as Buffer);
  expect(block?.length).toBe(400_000);
  payload.destroy(new Error('aborted'));
  await expect(body).rejects.toMatchObject({ status: 400 });
  expect(block?.length).toBe(CAN_GIVE_BACK ? 0 : 400_000);
});

it('that breaks off is unreadable, and a refusal on the way stays what it is', async () => {
  const broken = read({});
  broken.payload.destroy(new Error('aborted'));
  await expect(broken.body).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  const refused = read({});
  refused.payload.destroy(new GatewayError('overloaded', { retryAfterMs: 1 }));
  await expect(refused.body).rejects.toMatchObject({ code: 'overloaded' });
});
