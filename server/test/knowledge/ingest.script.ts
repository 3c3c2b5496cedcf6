/** A process that ingests fifty documents, tells how many are ready, and kills itself, as `kill -9` would, when so many are. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/core/clock.ts';
import { startKnowledge } from '../../src/knowledge/index.ts';
import { createBackground } from '../../src/platform/background.ts';
import { migrate, openDatabase, QueueWatch } from '../../src/platform/db/index.ts';
import { sandboxVector } from '../../src/platform/upstream/sandbox/embeddings.ts';
import { plentyOfMemory } from '../services/memory.ts';

const [dataDir = '', migrations = '', until = ''] = process.argv.slice(2);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };
const db = await openDatabase({ databaseUrl: undefined, dataDir, log, clock: systemClock });
await migrate(db, migrations);
await db.query(`insert into account (id, name, rules, calendar, created_at, updated_at)
  values ('acme', 'Acme', '{}', '{}', now(), now()) on conflict do nothing`);
const background = createBackground(log);
const knowledge = await startKnowledge({
  db,
  clock: systemClock,
  randomBytes,
  background,
  queues: new QueueWatch({ db, clock: systemClock, background }),
  log,
  limits: { bases: 1, documents: 50, documentBytes: 1e6, totalBytes: 1e8, contextTokens: 1000, parallelReading: 2 },
  memory: plentyOfMemory(),
  embedder: { embed: async ({ texts }) => texts.map((text) => sandboxVector(text, 16)) },
  fetchAddress: () => Promise.reject(new Error('nothing is fetched here')),
  checkEmbeddingModel: () => undefined,
});
const reach = { accountId: 'acme', baseIds: null };
const { items } = await knowledge.service.listBases(reach, {});
const base =
  items[0] ?? (await knowledge.service.createBase(reach, { name: 'Fifty', embeddingModel: 'sandbox/embed' }));
for (let at = 0; at < 50; at++) {
  const content = Buffer.from(
    Array.from({ length: 12 }, (_, part) => `# Part ${part}\n${`word${at}x${part} `.repeat(60)}`).join('\n\n'),
  );
  // Sent again after every start, as a client that got no answer would: the same content is the same document.
  await knowledge.service.addDocument(reach, base.id, {
    name: `${at}.md`,
    mediaType: null,
    source: 'upload',
    content,
    url: null,
  });
}
await knowledge.start();
const count = async () => {
  const [row] = await db.query<{ ready: number; failed: number }>(
    `select count(*) filter (where state = 'ready')::int as ready, count(*) filter (where state = 'failed')::int as failed from knowledge_document`,
  );
  return row ?? { ready: 0, failed: 0 };
};
for (;;) {
  const { ready, failed } = await count();
  await new Promise((told) => process.send?.({ ready, failed }, told));
  if (ready + failed >= 50) break;
  if (ready >= Number(until)) process.kill(process.pid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 50));
}
knowledge.stop();
await db.close();
process.exit(0);
