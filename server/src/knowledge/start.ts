/** Builds the knowledge domain from its parts. */
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Background } from '../platform/background.ts';
import type { Database, QueueWatch } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { MemoryBudget } from '../platform/memory-budget.ts';
import type { SafeFetch } from '../platform/upstream/index.ts';
import type { Embedder } from './embedder.ts';
import { createRetriever } from './ground/retriever.ts';
import { documentMemory } from './ingest/document-memory.ts';
import { Ingester } from './ingest/ingester.ts';
import { createDocumentReader, DEFAULT_READER_LIMITS } from './reading/reader.ts';
import type { Reranker } from './reranker.ts';
import { createSearch } from './retrieve/search.ts';
import { openVectorStore } from './retrieve/vector-store.ts';
import { createKnowledgeService, type KnowledgeService, type KnowledgeServiceOptions } from './service.ts';
import type { KnowledgeLimits } from './settings.ts';

export interface KnowledgeOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  background: Background;
  queues: QueueWatch;
  log: Log;
  /** Documents that are read hold their part of it. */
  memory: MemoryBudget;
  limits: KnowledgeLimits;
  embedder: Embedder;
  /** Absent when passages stay as the search found them. */
  reranker?: Reranker;
  fetchAddress: SafeFetch;
  checkEmbeddingModel: KnowledgeServiceOptions['checkEmbeddingModel'];
  /** For tests that kill their process. */
  leaseMs?: number;
}

export interface Knowledge {
  service: KnowledgeService;
  retriever: ReturnType<typeof createRetriever>;
  /** Begins to take documents from the queue. */
  start(): Promise<void>;
  stop(): void;
}

/** Vectors kept for exact search, where the database has no pgvector: about 80,000 of 384 numbers. */
const VECTOR_CACHE_BYTES = 128 * 1024 * 1024;

export async function startKnowledge(options: KnowledgeOptions): Promise<Knowledge> {
  const { db, limits, embedder, reranker, clock, log } = options;
  const vectors = await openVectorStore(db, VECTOR_CACHE_BYTES);
  const search = createSearch({ db, vectors, embedder, clock, log, ...(reranker && { reranker }) });
  const { memoryMb, needOf } = documentMemory(options.memory);
  const ingester = new Ingester({
    ...options,
    vectors,
    read: createDocumentReader({ ...DEFAULT_READER_LIMITS, memoryMb }),
    needOf,
    parallel: limits.parallelReading,
    maxBytes: limits.documentBytes,
  });
  return {
    service: createKnowledgeService({ ...options, search, record: createChangeRecorder(options, 'knowledge') }),
    retriever: createRetriever({ db, search, budgetTokens: limits.contextTokens }),
    start: () => ingester.start(),
    stop: () => ingester.stop(),
  };
}
