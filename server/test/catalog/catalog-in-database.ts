/** A migrated database with everything the catalog needs, for the suites that run on both engines. */

import { createCatalog } from '../../src/catalog/index.ts';
import type { SeedTools } from '../../src/catalog/seed/seed-tools.ts';
import type { Catalog } from '../../src/catalog/store.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { type Open, openEmbedded } from '../services/open-database.ts';
import { recordedLog } from '../services/silent-log.ts';

export interface CatalogFixture {
  tools: SeedTools & { clock: { at: number } };
  log: ReturnType<typeof recordedLog>;
  openCatalog(): Catalog;
  remove(): Promise<void>;
}

const defaultTimeouts = { connectMs: 1000, firstEventMs: 1000, wholeAnswerMs: 1000, idleMs: 1000, totalMs: 1000 };

/** Embedded, unless a suite that runs on both engines says how to open its database. */
export async function catalogFixture(open: Open = openEmbedded): Promise<CatalogFixture> {
  const { db, close } = await open();
  const clock = { at: 1_800_000_000_000, now: () => clock.at, monotonicMs: () => clock.at };
  // A seeded generator (xorshift): repeatable, and never the same sixteen bytes twice in a test.
  let state = 0x2545f491;
  const randomByte = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) & 255;
  };
  const randomBytes = (count: number) => Uint8Array.from({ length: count }, randomByte);
  const secrets = createSecretBox(Buffer.alloc(32, 7));
  const log = recordedLog();
  const opened: Catalog[] = [];
  return {
    tools: { db, secrets, clock, randomBytes },
    log,
    openCatalog() {
      const catalog = createCatalog({ db, secrets, clock, log, defaultTimeouts });
      opened.push(catalog);
      return catalog;
    },
    async remove() {
      for (const catalog of opened) catalog.close();
      await close();
    },
  };
}
