import { systemClock } from '../../src/core/clock.ts';
import { createLedger } from '../../src/ledger/index.ts';
import { startGateway } from '../harness/start-gateway.ts';
import { openEmbeddedAt } from '../services/embedded-database.ts';
import { exactLimits, LIMITED_ACCOUNTS } from './limits.suite.ts';

exactLimits('in one process with everything embedded', async () => {
  const gateway = await startGateway({ config: { accounts: LIMITED_ACCOUNTS } });
  let stopped = false;
  const stop = async (keepData: boolean) => {
    if (!stopped) await gateway.stop({ keepData });
    stopped = true;
  };
  return {
    vendor: gateway.vendor,
    origins: [gateway.origin],
    async audit() {
      // The embedded database has one user at a time.
      await stop(true);
      const db = await openEmbeddedAt(gateway.dataDir);
      try {
        return await createLedger({ db, clock: systemClock }).audit();
      } finally {
        await db.close();
      }
    },
    said: () => gateway.log.lines.map(({ message, text }) => `${message} ${text}`).join('\n'),
    end: () => stop(false),
  };
});
