/** Documents that are read at once share one part of the budget; the others wait for their turn and are read after all. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { startKnowledge } from '../../src/knowledge/index.ts';
import { documentMemory } from '../../src/knowledge/ingest/document-memory.ts';
import { createBackground } from '../../src/platform/background.ts';
import { QueueWatch } from '../../src/platform/db/index.ts';
import { MemoryBudget } from '../../src/platform/memory-budget.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { eventually } from '../services/eventually.ts';
import { recordedLog } from '../services/silent-log.ts';
import { docx } from './zip.ts';

const MIB = 2 ** 20;

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  await temporary.db.query(`insert into account (id, name, rules, calendar, created_at, updated_at)
    values ('acme', 'Acme', '{}', '{}', now(), now())`);
}, 120_000);
afterAll(() => temporary.remove());

describe('five packed documents', () => {
  it('are read two at a time where there is memory for two', async () => {
    const memory = new MemoryBudget({ maxBytes: 1_200 * MIB });
    const background = createBackground(recordedLog());
    const knowledge = await startKnowledge({
      db: temporary.db,
      clock: systemClock,
      randomBytes,
      background,
      queues: new QueueWatch({ db: temporary.db, clock: systemClock, background }),
      log: recordedLog(),
      memory,
      limits: { bases: 9, documents: 50, documentBytes: 1e8, totalBytes: 1e9, contextTokens: 1000, parallelReading: 5 },
      embedder: { embed: () => Promise.reject(new Error('nothing is embedded here')) },
      fetchAddress: () => Promise.reject(new Error('nothing is fetched here')),
      checkEmbeddingModel: () => undefined,
    });
    const reach = { accountId: 'acme', baseIds: null };
    const base = await knowledge.service.createBase(reach, { name: 'Packed', embeddingModel: null });
    for (let at = 0; at < 5; at++)
      await knowledge.service.addDocument(reach, base.id, {
        name: `${at}.docx`,
        mediaType: null,
        source: 'upload',
        // Unpacks to a third of a megabyte.
        content: docx(`Part ${at}`, `word${at} `.repeat(60_000)),
        url: null,
      });
    await knowledge.start();
    try {
      await eventually(async () => {
        const { items } = await knowledge.service.listDocuments(reach, base.id, {});
        expect(items.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => 'ready'));
      });
    } finally {
      knowledge.stop();
      await background.drain(5_000);
    }
    const { peakBytes, heldBytes, refused } = memory.state;
    expect(peakBytes).toBeGreaterThanOrEqual(300 * MIB);
    expect(peakBytes).toBeLessThanOrEqual(600 * MIB);
    expect([heldBytes, refused]).toEqual([0, 0]);
  });
});

describe('the memory of a document', () => {
  it.each([
    ['a large machine', 2_048, 512],
    ['a machine where two fit well', 8_192, 768],
    ['a small container', 128, 256],
  ])('is what its process may use, on %s', (_what, budgetMb, memoryMb) => {
    const budget = new MemoryBudget({ maxBytes: budgetMb * MIB });
    const known = documentMemory(budget);
    expect(known.memoryMb).toBe(memoryMb);
    expect(known.needOf(MIB)).toBe(Math.min((memoryMb + 3) * MIB, budget.maxForDocuments));
  });
});
