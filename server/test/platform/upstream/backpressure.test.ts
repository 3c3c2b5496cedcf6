/** Bytes wait at their provider, not in memory: this measures the process. @process own */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createTransport } from '../../../src/platform/upstream/index.ts';
import { startFakeVendor } from '../../fake-vendor/index.ts';
import { CLIENTS, chatCall } from './call.ts';

const CHUNK_BYTES = 64 * 1024;
const BODY_BYTES = 50 * 1024 * 1024;
/** Both kernels' socket buffers on loopback plus ours; far below the body. */
const IN_FLIGHT_BYTES = 16 * 1024 * 1024;
/** Buffers of this process, vendor and test runner included. */
const HELD_BYTES = 8 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Chunks already read are garbage; what counts is what is held. Buffers are freed by a background thread after a
 * collection, so it is asked repeatedly: what is really held stays held however often one asks.
 */
async function heldBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 10; attempt++) {
    collectGarbage();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    least = Math.min(least, process.memoryUsage().arrayBuffers);
  }
  return least;
}

it.each(CLIENTS)(
  'a slow reader of 50 MB holds the provider back instead of filling our memory (%s)',
  async (client) => {
    const vendor = await startFakeVendor();
    const transport = createTransport({ clock: systemClock, client });
    vendor.next(async (wire) => {
      wire.head(200, { 'content-type': 'application/octet-stream' });
      const chunk = Buffer.alloc(CHUNK_BYTES, 1);
      for (let sent = 0; sent < BODY_BYTES; sent += CHUNK_BYTES) await wire.write(chunk);
      wire.end();
    });
    const reply = await transport.send(chatCall(vendor.origin));
    const request = await vendor.received(0);
    let read = 0;
    let furthestAhead = 0;
    let heldHalfway = 0;
    for (let chunk = await reply.read(); chunk !== null; chunk = await reply.read()) {
      read += chunk.length;
      furthestAhead = Math.max(furthestAhead, request.bytesSent - read);
      if (heldHalfway === 0 && read > BODY_BYTES / 2) {
        heldHalfway = await heldBytes();
      }
      // Many turns of the event loop between reads: the provider has every chance to run ahead.
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(read).toBe(BODY_BYTES);
    expect(furthestAhead).toBeLessThan(IN_FLIGHT_BYTES);
    expect(heldHalfway).toBeGreaterThan(0);
    expect(heldHalfway).toBeLessThan(HELD_BYTES);
    await transport.close();
    await vendor.close();
  },
);

it.each(CLIENTS)('a reader that never reads gets no more than the bounded buffer (%s)', async (client) => {
  const vendor = await startFakeVendor();
  const transport = createTransport({ clock: systemClock, client });
  vendor.next(async (wire) => {
    wire.head(200, { 'content-type': 'application/octet-stream' });
    while (!wire.gone) await wire.write(Buffer.alloc(CHUNK_BYTES, 1));
  });
  const reply = await transport.send(chatCall(vendor.origin));
  const request = await vendor.received(0);
  let before = -1;
  // The provider stops by itself once every buffer on the way is full.
  while (before !== request.bytesSent) {
    before = request.bytesSent;
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(before).toBeLessThan(IN_FLIGHT_BYTES);
  reply.abort('test over');
  expect(await request.ended).toBe('aborted');
  await transport.close();
  await vendor.close();
});
