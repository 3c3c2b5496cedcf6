/**
 * Settles one order and kills itself, as `kill -9` would, at the named point between paid and credited.
 *   node script.js <database address> <order> <point>
 */
import { systemClock } from '../../src/core/clock.ts';
import { createLedger } from '../../src/ledger/index.ts';
import { OrderSettlement } from '../../src/payments/index.ts';
import { openDatabase } from '../../src/platform/db/index.ts';
import { recordedLog } from '../services/silent-log.ts';
import { openCashDesk } from './cash-desk.ts';

const [databaseUrl = '', orderId = '', point = ''] = process.argv.slice(2);
const log = recordedLog();
const db = await openDatabase({ databaseUrl, dataDir: '', log, clock: systemClock });
const { gateways } = openCashDesk({ db, clock: systemClock });
const books = createLedger({ db, clock: systemClock });

/** Nothing after it runs; the signal arrives at once. */
async function dieAt(here: string): Promise<void> {
  if (here !== point) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

const settlement = new OrderSettlement({
  db,
  clock: systemClock,
  log,
  gatewayOf: (id) => gateways.evenIfOff(id),
  onCredited: () => dieAt('inside-transaction'),
  papers: { refunded: async () => undefined },
  ledger: {
    bookIn: books.bookIn,
    async book(document, alongside) {
      await dieAt('before-transaction');
      const isNew = await books.book(document, alongside);
      await dieAt('after-commit');
      return isNew;
    },
  },
});
await settlement.check(orderId, 'test');
throw new Error(`it lived past ${point}: ${JSON.stringify(log.lines)}`);
