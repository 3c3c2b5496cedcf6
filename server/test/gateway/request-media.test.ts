/** Forty small requests that name a large picture: what is fetched for them together stays within the budget. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../src/core/chat.ts';
import { systemClock } from '../../src/core/clock.ts';
import { RequestMedia } from '../../src/gateway/chat/request-media.ts';
import { MEDIA_MEMORY_FACTOR, MemoryBudget } from '../../src/platform/memory-budget.ts';
import { createSafeFetch } from '../../src/platform/upstream/index.ts';
import { geminiUpstream } from '../../src/protocols/index.ts';

const MIB = 1024 * 1024;
const PICTURE_BYTES = 18 * MIB;
const BUDGET = 512 * MIB;

let site: Server;
let host: string;
let sentBytes = 0;

beforeAll(async () => {
  const piece = Buffer.alloc(MIB, 1);
  site = createServer((request, response) => {
    const declared = request.url === '/declared' ? { 'content-length': PICTURE_BYTES } : {};
    response.writeHead(200, { 'content-type': 'image/png', ...declared });
    let left = PICTURE_BYTES;
    const send = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= piece.length;
        sentBytes += piece.length;
        if (!response.write(piece)) {
          response.once('drain', send);
          return;
        }
      }
      response.end();
    };
    send();
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(() => site.close());

function requestFor(path: string): ChatRequest {
  const source = { kind: 'url', url: `http://${host}${path}` };
  return { messages: [{ role: 'user', parts: [{ kind: 'image', source }] }] } as unknown as ChatRequest;
}

/** Whoever must wait is refused at once: nothing here gives anything back before all were asked. */
function smallBudget(maxBytes: number): MemoryBudget {
  return new MemoryBudget({
    maxBytes,
    after: (_ms, run) => {
      const soon = setImmediate(run);
      return () => clearImmediate(soon);
    },
  });
}

describe('a picture that a request names', () => {
  it.each(['/declared', '/undeclared'])(
    'of 18 MB, 40 times at once, is fetched as far as the budget goes: %s',
    async (path) => {
      sentBytes = 0;
      const budget = smallBudget(BUDGET);
      const fetch = createSafeFetch({ clock: systemClock, allowedHosts: [host] });
      const shares = Array.from({ length: 40 }, (_, at) => budget.open(`account ${at}`));
      const results = await Promise.allSettled(
        shares.map((share) => new RequestMedia(fetch, () => share).putInto(requestFor(path), geminiUpstream, {})),
      );
      const { peakBytes, byKind } = budget.state;
      expect(peakBytes).toBeLessThanOrEqual(BUDGET);
      const fetched = results.filter(({ status }) => status === 'fulfilled').length;
      expect(byKind.media).toBeGreaterThanOrEqual(fetched * PICTURE_BYTES * MEDIA_MEMORY_FACTOR);
      if (path === '/declared')
        expect(fetched).toBe(Math.floor((BUDGET * 7) / 8 / (PICTURE_BYTES * MEDIA_MEMORY_FACTOR)));
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'overloaded' });
      // What was refused was not sent to us either, but for what the sockets take.
      expect(sentBytes).toBeLessThan(40 * PICTURE_BYTES);
      for (const share of shares) share.release();
      expect(budget.state.heldBytes).toBe(0);
    },
  );

  it('that is too large by its own word is not fetched', async () => {
    const budget = smallBudget(BUDGET);
    const fetch = createSafeFetch({ clock: systemClock, allowedHosts: [host] });
    const share = budget.open();
    const reserve = (bytes: number) => share.reserve('media', bytes);
    const limits = { maxBytes: MIB, totalMs: 20_000, reserve };
    await expect(fetch(`http://${host}/declared`, limits)).rejects.toMatchObject({ reason: 'too-large' });
    expect(budget.state.peakBytes).toBe(0);
  });
});
