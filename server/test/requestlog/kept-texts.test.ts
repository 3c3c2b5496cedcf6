/** Prompts and answers that an account asked to keep: unreadable at rest, and really deleted when their time is over. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Background } from '../../src/platform/background.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createRequestTexts, type RequestTexts } from '../../src/requestlog/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const DAY = 86_400_000;
const clock = { ms: 1_800_000_000_000, now: () => clock.ms, monotonicMs: () => clock.ms };

let temporary: TemporaryDatabase;
let texts: RequestTexts;
let purge: () => Promise<void>;
const written: Promise<unknown>[] = [];

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const background: Pick<Background, 'every' | 'detach'> = {
    every: (_ms, _name, work) => {
      purge = async () => work();
      return () => undefined;
    },
    detach: (promise) => void written.push(promise),
  };
  texts = createRequestTexts({
    db: temporary.db,
    clock,
    secrets: createSecretBox(randomBytes(32)),
    background: background as Background,
    maxDays: () => 365,
  });
});
afterAll(() => temporary?.remove());

const keep = async (requestId: string, days: number, accountId = 'acme', request = '{"q":"swordfish"}') => {
  texts.keep({ requestId, accountId, days, request, answer: 'the answer is swordfish' });
  await Promise.all(written);
};
const stored = () => temporary.db.query<Record<string, unknown>>('select * from request_text order by request_id');

describe('kept texts', () => {
  it('cannot be read in the database', async () => {
    await keep('req_1', 1);
    expect(JSON.stringify(await stored())).not.toContain('swordfish');
    expect(await texts.find('req_1', 'acme')).toMatchObject({
      request: { q: 'swordfish' },
      answer: 'the answer is swordfish',
      cut: false,
    });
    expect(await texts.find('req_1', 'other')).toBeUndefined();
  });

  it('are gone from the moment they expire, and deleted by the next round', async () => {
    await keep('req_2', 2);
    clock.ms += DAY;
    expect(await texts.find('req_1', 'acme')).toBeUndefined();
    expect(await stored()).toHaveLength(2);
    await purge();
    expect((await stored()).map((row) => row['request_id'])).toEqual(['req_2']);
    clock.ms += DAY;
    await purge();
    expect(await stored()).toEqual([]);
  });

  it('of a closed account are deleted at once, and of others stay', async () => {
    await keep('req_3', 7);
    await keep('req_4', 7, 'other');
    await texts.forget('acme');
    expect((await stored()).map((row) => row['request_id'])).toEqual(['req_4']);
  });

  it('that are too long are cut and say so', async () => {
    await keep('req_5', 1, 'acme', JSON.stringify({ q: 'x'.repeat(300_000) }));
    const kept = await texts.find('req_5', 'acme');
    expect(kept?.cut).toBe(true);
    expect(String(kept?.request)).toHaveLength(200_000);
  });
});
