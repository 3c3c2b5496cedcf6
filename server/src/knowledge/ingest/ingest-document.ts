/**
 * Turns one document from bytes into searchable passages. Each step leaves its result in the database, so that a
 * process that takes over after a crash continues where it stopped: fetched bytes are not fetched again, drafted
 * passages are not read again, vectors that were paid for are not made again. Only the last step makes anything
 * visible.
 */
import { createHash } from 'node:crypto';
import type { Database, Queryable } from '../../platform/db/index.ts';
import type { MemoryBudget, MemoryShare } from '../../platform/memory-budget.ts';
import type { SafeFetch } from '../../platform/upstream/index.ts';
import type { Embedder } from '../embedder.ts';
import { type CutPassage, cutPassages } from '../passages/cut.ts';
import { SHORT_BYTES } from '../reading/read-document.ts';
import type { DocumentReader } from '../reading/reader.ts';
import type { VectorStore } from '../retrieve/vector-store.ts';
import { ALLOW_LONG_STATEMENTS } from '../store/base-rows.ts';
import { NOTE_FETCHED, selectContent, showProgress, storeContent } from '../store/document-rows.ts';
import { finishJob, type Job, markDrafted } from '../store/job-rows.ts';
import {
  countDrafts,
  draftsWithoutVector,
  insertDrafts,
  publishDrafts,
  publishPassages,
  searchedText,
} from '../store/passage-rows.ts';
import { MAX_AT_ONCE } from './short-document.ts';

export interface IngestTools {
  db: Database;
  read: DocumentReader;
  fetchAddress: SafeFetch;
  embedder: Embedder;
  vectors: VectorStore;
  maxBytes: number;
  memory: Pick<MemoryBudget, 'open'>;
  /** What is reserved from it for a document of so many bytes. */
  needOf(bytes: number): number;
}

/**
 * Thrown when the job is not ours any more: replaced, deleted, or taken over. Nothing is left to do and nothing to
 * report.
 */
export class JobLost extends Error {}

const FETCH_MS = 30_000;
const TEXTS_PER_CALL = 64;
/** The progress when a document has been read and its vectors are still to be made. */
const READ_PERCENT = 30;

export async function ingestDocument(job: Job, holder: string, tools: IngestTools, signal: AbortSignal): Promise<void> {
  if (!job.drafted && (await draft(job, holder, tools, signal))) return;
  if (job.embeddingModel !== null) await embed(job, job.embeddingModel, tools, signal);
  await inTransaction(tools.db, async (tx) => {
    // The job is checked first, so that a job that was taken over meanwhile changes nothing.
    if (!(await finishJob(tx, job, holder))) throw new JobLost();
    await publishDrafts(tx, job);
  });
}

function isShort({ bytes }: Job): boolean {
  return bytes > 0 && bytes <= SHORT_BYTES;
}

/**
 * Returns true when the document is published already, because a short one that needs no vectors is not worth a draft.
 */
async function draft(job: Job, holder: string, tools: IngestTools, signal: AbortSignal): Promise<boolean> {
  if (!isShort(job)) await showProgress(tools.db, job.documentId, job.revision, 'reading', 0);
  const memory = tools.memory.open();
  const stop = () => memory.release();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const passages = await readAndCut(job, tools, signal, memory);
    const publishes = job.embeddingModel === null && passages.length <= MAX_AT_ONCE;
    await inTransaction(tools.db, async (tx) => {
      if (!(await (publishes ? finishJob : markDrafted)(tx, job, holder))) throw new JobLost();
      await (publishes ? publishPassages : insertDrafts)(tx, job, passages);
    });
    return publishes;
  } finally {
    signal.removeEventListener('abort', stop);
    memory.release();
  }
}

/** A document waits until there is memory for it, because nobody waits for the answer. */
async function readAndCut(
  job: Job,
  tools: IngestTools,
  signal: AbortSignal,
  memory: MemoryShare,
): Promise<CutPassage[]> {
  const isSmall = isShort(job);
  const reserve = () =>
    memory.reserve('documents', tools.needOf(job.bytes || tools.maxBytes), Number.POSITIVE_INFINITY);
  if (!isSmall) await reserve();
  const content = await contentOf(job, tools);
  const blocks = await tools.read(
    { bytes: content.bytes, name: job.name, mediaType: content.mediaType ?? undefined },
    signal,
    isSmall ? reserve : undefined,
  );
  if (!isSmall) await showProgress(tools.db, job.documentId, job.revision, 'reading', READ_PERCENT / 2);
  return cutPassages(blocks);
}

async function contentOf(
  job: Job,
  { db, fetchAddress, maxBytes }: IngestTools,
): Promise<{ bytes: Uint8Array; mediaType: string | null }> {
  const stored = await selectContent(db, job.documentId);
  if (stored) return { bytes: stored, mediaType: job.mediaType };
  if (job.url === null) throw new JobLost();
  const { bytes, type } = await fetchAddress(job.url, { maxBytes, totalMs: FETCH_MS });
  const contentHash = createHash('sha256').update(bytes).digest();
  await db.transaction(async (tx) => {
    await storeContent(tx, job.documentId, bytes);
    await NOTE_FETCHED.run(tx, [job.documentId, job.revision, bytes.length, type, contentHash]);
  });
  return { bytes, mediaType: type };
}

async function embed(
  job: Job,
  model: string,
  { db, embedder, vectors }: IngestTools,
  signal: AbortSignal,
): Promise<void> {
  const total = await countDrafts(db, job);
  for (let done = 0; ; ) {
    signal.throwIfAborted();
    const drafts = await draftsWithoutVector(db, job, TEXTS_PER_CALL);
    if (drafts.length === 0) return;
    if (done === 0) done = total - drafts.length;
    await showProgress(db, job.documentId, job.revision, 'embedding', READ_PERCENT);
    const texts = drafts.map((each) => searchedText(each, job.name));
    const made = await embedder.embed({ accountId: job.accountId, baseIds: [job.baseId], model, texts });
    await vectors.save(
      db,
      job.baseId,
      drafts.map(({ id }) => id),
      made,
    );
    done = Math.min(total, done + drafts.length);
    const percent = READ_PERCENT + Math.floor(((99 - READ_PERCENT) * done) / Math.max(1, total));
    await showProgress(db, job.documentId, job.revision, 'embedding', percent);
  }
}

/** A book of thousands of passages takes longer to index than the usual statement timeout. */
function inTransaction<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await ALLOW_LONG_STATEMENTS.run(tx);
    return work(tx);
  });
}
