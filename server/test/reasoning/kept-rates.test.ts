/** What was learned about hidden reasoning, in the database: over a restart, over replicas, for a limited time. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/platform/db/index.ts';
import { createReasoningRates } from '../../src/reasoning/index.ts';
import { REMEMBERED_TOKENS } from '../../src/reasoning/rates.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { onBothDatabases } from '../services/both-databases.ts';
import { handBackground } from '../services/hand-background.ts';

const OPERATORS = 60;
const DAY_MS = 86_400_000;
const NEWS = 'reasoning rates of other replicas';
const at = (tokensPerSecond: number, tokens = 6_000) => ({ tokens, ms: (tokens / tokensPerSecond) * 1_000 });

onBothDatabases((name, open) => {
  describe(`rates of hidden reasoning in the database (${name})`, () => {
    const clock = new HandClock();
    let db: Database;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ db, close } = await open());
    });
    beforeEach(() => db.query('delete from reasoning_rate'));
    afterAll(() => close?.());

    const replica = async () => {
      const { background, run } = handBackground();
      const { rates, flush } = await createReasoningRates({ db, clock, background });
      return { rates, flush, run };
    };

    it('are there after a restart', async () => {
      const before = await replica();
      before.rates.learn('one', 'maker/model', at(200));
      await before.run('reasoning rates');
      const { rates } = await replica();
      expect(rates.of('one', 'maker/model', OPERATORS)).toBeCloseTo(200);
      expect(rates.of('other', 'maker/model', OPERATORS)).toBe(OPERATORS);
    });

    it('are merged over replicas, each weighing by what it saw', async () => {
      const [one, two] = [await replica(), await replica()];
      one.rates.learn('one', 'maker/model', at(100, 30_000));
      two.rates.learn('one', 'maker/model', at(200, 10_000));
      await Promise.all([one.flush(), two.flush()]);
      for (const { run } of [one, two]) await run(NEWS);
      for (const { rates } of [one, two]) expect(rates.of('one', 'maker/model', OPERATORS)).toBeCloseTo(125);
    });

    it('fade: what was measured last counts once enough of it was seen', async () => {
      const { rates, flush } = await replica();
      rates.learn('one', 'maker/model', at(400, REMEMBERED_TOKENS));
      await flush();
      for (let i = 0; i < 20; i++) {
        rates.learn('one', 'maker/model', at(100, REMEMBERED_TOKENS / 2));
        await flush();
      }
      expect(rates.of('one', 'maker/model', OPERATORS)).toBeLessThan(105);
      const [row] = await db.query<{ tokens: number }>('select tokens from reasoning_rate');
      expect(row?.tokens).toBeLessThanOrEqual(REMEMBERED_TOKENS);
    });

    it('of most accounts raise where a new account begins; of two they do not', async () => {
      const { rates, flush, run } = await replica();
      for (const account of ['a', 'b']) rates.learn(account, 'maker/model', at(130));
      await flush();
      await run(NEWS);
      expect(rates.of('new', 'maker/model', OPERATORS)).toBe(OPERATORS);
      rates.learn('c', 'maker/model', at(150));
      await flush();
      await run(NEWS);
      expect(rates.of('new', 'maker/model', OPERATORS)).toBeCloseTo(130);
    });

    it('are deleted when nobody used the model for long', async () => {
      const { rates, flush, run } = await replica();
      rates.learn('old', 'maker/model', at(200));
      await flush();
      clock.advance(181 * DAY_MS);
      rates.learn('young', 'maker/model', at(200));
      await flush();
      await run('reasoning rates retention');
      expect(await db.query('select account_id from reasoning_rate')).toEqual([{ account_id: 'young' }]);
    });
  });
});
