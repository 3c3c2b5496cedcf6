/** Random histories of money, lived by the real books and on paper beside them. @tier services */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../harness/long.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { History } from './history.ts';
import { PaperBank } from './paper-bank.ts';
import { RealBank } from './real-bank.ts';
import { seeded } from './seeded.ts';

const HISTORIES = Number(process.env['DARGAH_HISTORIES'] ?? amount(200, 10_000));
const REAL_HISTORIES = Number(process.env['DARGAH_REAL_HISTORIES'] ?? amount(5, 50));
const FIRST_SEED = Number(process.env['DARGAH_SEED'] ?? 1);

async function tell(seed: number, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(
      `history ${seed} (repeat with DARGAH_SEED=${seed} DARGAH_HISTORIES=1): ${(error as Error).message}`,
      { cause: error },
    );
  }
}

describe('random histories of money', () => {
  it(`${HISTORIES} in memory, every invariant after every step`, { timeout: 600_000 }, async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
      const chance = seeded(seed);
      const bank = new PaperBank(1 + chance.below(5));
      await tell(seed, () => new History(bank, chance).run(40));
    }
  });

  it('the checks can fail: a bank that forgets a charge is caught', async () => {
    class Forgetful extends PaperBank {
      override close(record: Parameters<PaperBank['close']>[0]): void {
        super.close(record.id === 'req_9' ? { ...record, cost: 0n as never, formula: [] } : record);
      }
    }
    const caught: number[] = [];
    for (let seed = 1; seed <= 60; seed++) {
      const chance = seeded(seed);
      await new History(new Forgetful(3), chance).run(40).catch(() => caught.push(seed));
    }
    expect(caught.length).toBeGreaterThan(5);
  });

  describe('over the embedded database', () => {
    let database: TemporaryDatabase;
    beforeAll(async () => {
      database = await openTemporaryDatabase();
    });
    afterAll(() => database?.remove());

    it(`${REAL_HISTORIES} with the real journal, poster and books`, { timeout: 600_000 }, async () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + REAL_HISTORIES; seed++) {
        const chance = seeded(seed);
        const bank = await RealBank.open(database.db, 1 + chance.below(5));
        await tell(seed, () => new History(bank, chance).run(40));
        await bank.end();
      }
    });
  });
});
