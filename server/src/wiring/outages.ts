/**
 * Outages, wired: what customers experienced, what this process knows of itself, and a test call to a failed provider
 * that gets no requests any more.
 */
import { statfs } from 'node:fs/promises';
import type { CarrierReach } from '../messages/index.ts';
import { DatabaseWatch, OutageWatch, type OwnFacts, ownConditions } from '../notices/index.ts';
import type { GatewayReach } from '../payments/index.ts';
import type { OpenedBooks } from './books.ts';
import type { Foundation } from './foundation.ts';
import type { openNotices } from './notices.ts';
import { operatorTools } from './operator-tools.ts';
import type { RequestPath } from './request-path.ts';

const LOOK_MS = 10_000;

export interface OutageParts {
  path: RequestPath;
  books: OpenedBooks;
  alerts: ReturnType<typeof openNotices>;
  carriers: CarrierReach;
  reach: GatewayReach;
  journalMax: OwnFacts['journalMax'];
  staleRate: OwnFacts['staleRate'];
}

export function watchForOutages(base: Foundation, parts: OutageParts): void {
  const { path, books, alerts, carriers, reach } = parts;
  const { db, clock, log, background } = base;
  const { randomBytes } = base.tools;
  const facts: OwnFacts = {
    replica: books.replicaId,
    journal: () => books.journal.health(),
    journalMax: parts.journalMax,
    disk: () => roomOn(base.environment.dataDir),
    silentGateways: () => reach.silent(),
    smsRefusedSince: () => carriers.refusedSince(),
    books: () => books.proofs.state(),
    staleRate: parts.staleRate,
  };
  const tools = operatorTools(base, path.gw);
  const watch = new OutageWatch({
    db,
    clock,
    randomBytes,
    notices: alerts.notices,
    conditions: () => ownConditions(facts, clock.now()),
    openCircuits: () =>
      path.gw.router.snapshot().filter(({ state, cause }) => state === 'open' && cause !== 'credential'),
    watchCredentials: (credentials) => path.uptime.health.watchCredentials(credentials),
    testProvider: async (id) => (await tools.testProvider(id))?.ok,
  });
  const database = new DatabaseWatch({
    db,
    clock,
    randomBytes,
    log,
    messenger: alerts.messenger,
    addresses: () => alerts.staff.direct('database.away'),
  });
  background.every(LOOK_MS, 'outages', () => watch.look());
  background.every(LOOK_MS, 'reach of the database', () => database.look());
}

async function roomOn(folder: string) {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}
