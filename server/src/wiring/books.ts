/** Money: the journal, admission before it, the poster after it, and what keeps all three in step with the ledger. */

import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import {
  type Admission,
  createClusterAdmission,
  createMemoryAdmission,
  createRedisAdmission,
} from '../admission/index.ts';
import type { ProcessEnvironment, Settings } from '../config/index.ts';
import { systemClock } from '../core/clock.ts';
import { makeId } from '../core/ids.ts';
import { ZERO } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import { type BooksProofs, createBooksProofs, type FileJournal, openJournal, Poster } from '../ledger/index.ts';
import { createSettledEvents } from '../notices/index.ts';
import { createRedis, isRedisCluster } from '../platform/redis/index.ts';
import type { Foundation } from './foundation.ts';
import { openGuaranteeCredits } from './guarantee.ts';
import { keepLog } from './request-log.ts';

export type OpenedBooks = Awaited<ReturnType<typeof openBooks>>;

export async function openBooks(base: Foundation, environment: ProcessEnvironment, limits: Settings['limits']) {
  const { db, clock, log } = base;
  const journal = await openJournal({
    folder: join(environment.dataDir, 'journal'),
    clock,
    log,
    syncIntervalMs: limits.journalSyncMs,
    maxUnposted: limits.journalMaxRecords,
    maxUnpostedBytes: limits.journalMaxBytes,
  });
  const replicaId = await replicaIdOf(environment.dataDir);
  const admission = await openAdmission(base, environment, replicaId);
  const guarantee = openGuaranteeCredits(base);
  const poster = new Poster({ db, journal, admission, log, settled: createSettledEvents(base), owed: guarantee });
  // Done before the first request: what a killed process charged must not be spent a second time.
  await poster.catchUp();
  await admission.recovered();
  poster.start();
  followBudgets(base, admission);
  keepLog(base, environment, limits, replicaId);
  const proofs = openProofs(base, { journal, replicaId, limits });
  return { journal, admission, poster, replicaId, proofs, guarantee };
}

/** The part of the journal's limit above which proofs wait, because charges come first. */
const BUSY = 0.05;

/** The proof of the books: every replica checks each minute whether one is due, and one replica at a time runs it. */
function openProofs(
  { db, clock, secrets, background }: Foundation,
  { journal, replicaId, limits }: { journal: FileJournal; replicaId: string; limits: Settings['limits'] },
): BooksProofs {
  const proofs = createBooksProofs({
    db,
    clock,
    secrets,
    randomBytes,
    replicaId,
    busy: () => {
      const { depth, bytes } = journal.health();
      return depth > limits.journalMaxRecords * BUSY || bytes > limits.journalMaxBytes * BUSY;
    },
    pause: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
    detach: (work, name) => background.detach(work, name),
  });
  // The run reports under a name of its own: only a finished run may say "works again", not a check that found nothing
  // due.
  background.every(MINUTE_MS, 'proofs that are due', async () => {
    const run = await proofs.due();
    if (run) background.detach(run(), 'proof of the books');
  });
  return proofs;
}

async function openAdmission(
  base: Foundation,
  { redisUrl, redisDeadlineMs: deadlineMs }: ProcessEnvironment,
  replicaId: string,
): Promise<Admission> {
  const { clock, log } = base;
  const { loadPosted } = base.ledger;
  if (redisUrl === undefined) return createMemoryAdmission({ clock, loadPosted });
  const redis = createRedis({ url: redisUrl, onError: (error) => log.warn({ err: error }, 'redis connection') });
  const onMode = (mode: string, reason?: unknown) => log.warn({ mode, err: reason }, 'admission mode changed');
  const create = isRedisCluster(redisUrl) ? createClusterAdmission : createRedisAdmission;
  return create({ redis, clock, replicaId, loadPosted, deadlineMs, onMode });
}

/** Top-ups and refunds happen on any replica, and in the CLI; every admission must see the new balance. */
function followBudgets({ db, ledger, background }: Foundation, admission: Admission): void {
  const reread = async (budget: string) => {
    const row = (await ledger.loadPosted([budget])).get(budget);
    if (row) admission.posted([{ budget, ...row, release: ZERO }]);
  };
  // A lost message is harmless: admission asks the ledger again about a budget that refuses.
  const follow = (topic: string, budgetOf: (id: string) => string) =>
    db.subscribe(
      topic,
      (id) => background.detach(reread(budgetOf(id)), topic),
      () => undefined,
    );
  follow('wallet', walletBudget);
  follow('budget', (id) => id);
}

/** Stable over restarts, so that after a crash this replica gets back what it held. */
async function replicaIdOf(dataDir: string): Promise<string> {
  const path = join(dataDir, 'replica-id');
  const stored = await readFile(path, 'utf8').catch(() => '');
  if (stored !== '') return stored.trim();
  const id = makeId('rep', systemClock.now(), randomBytes);
  await writeFile(path, id);
  return id;
}
