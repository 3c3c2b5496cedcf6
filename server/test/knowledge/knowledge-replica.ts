/** Knowledge services as replicas have them: each its own connections to one PostgreSQL, each its own queue worker. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/core/clock.ts';
import { type Embedder, startKnowledge } from '../../src/knowledge/index.ts';
import type { Knowledge } from '../../src/knowledge/start.ts';
import { type Background, createBackground } from '../../src/platform/background.ts';
import { type Database, migrate, openDatabase, QueueWatch } from '../../src/platform/db/index.ts';
import { plentyOfMemory } from '../services/memory.ts';
import { recordedLog } from '../services/silent-log.ts';

export interface KnowledgeReplica extends Knowledge {
  db: Database;
  /** As if the process hung or its network was cut: nothing reaches the database until `thaw`. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

export interface ReplicaParts {
  databaseUrl: string;
  embed: Embedder['embed'];
  leaseMs?: number;
}

export const OWNER = { accountId: 'acme', baseIds: null };

/** Without pgvector, also on a server that has it. */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  const db = await open(databaseUrl);
  await migrate(db);
  await db.query(`alter table knowledge_vector drop column embedding;
    alter table knowledge_vector add column embedding bytea not null;
    insert into account (id, name, rules, calendar, created_at, updated_at) values ('acme', 'Acme', '{}', '{}', now(), now())`);
  await db.close();
}

export async function startReplica({ databaseUrl, embed, leaseMs }: ReplicaParts): Promise<KnowledgeReplica> {
  const log = recordedLog();
  const opened = await open(databaseUrl);
  let frozen = false;
  const reaching = <T>(work: () => Promise<T>): Promise<T> =>
    frozen ? Promise.reject(new Error('the replica is frozen')) : work();
  const db: Database = {
    kind: opened.kind,
    query: (text, values, options) => reaching(() => opened.query(text, values, options)),
    transaction: (work) => reaching(() => opened.transaction(work)),
    report: (work, options) => reaching(() => opened.report(work, options)),
    session: (work) => reaching(() => opened.session(work)),
    publish: (tx, topic, id) => opened.publish(tx, topic, id),
    subscribe: (topic, onChange, lost) => opened.subscribe(topic, onChange, lost),
    healthy: () => opened.healthy(),
    close: () => opened.close(),
  };
  const background: Background = createBackground(log);
  const knowledge = await startKnowledge({
    db,
    clock: systemClock,
    randomBytes,
    background,
    queues: new QueueWatch({ db, clock: systemClock, background }),
    log,
    limits: { bases: 9, documents: 50, documentBytes: 1e6, totalBytes: 1e8, contextTokens: 1000, parallelReading: 1 },
    memory: plentyOfMemory(),
    embedder: { embed },
    fetchAddress: () => Promise.reject(new Error('nothing is fetched here')),
    checkEmbeddingModel: () => undefined,
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  return {
    ...knowledge,
    db,
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
    },
    async close() {
      knowledge.stop();
      await background.drain(2_000);
      await opened.close();
    },
  };
}

function open(databaseUrl: string): Promise<Database> {
  return openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
}

export function textDocument(name: string, text: string) {
  return { name, mediaType: 'text/plain', source: 'text' as const, content: Buffer.from(text), url: null };
}
