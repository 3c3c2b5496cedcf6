/** Measures retrieval: how often the passage that answers a question stands first, among the first three, and how high on average. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../server/src/core/clock.ts';
import type { Embedder } from '../../server/src/knowledge/index.ts';
import { cutPassages } from '../../server/src/knowledge/passages/cut.ts';
import type { Block } from '../../server/src/knowledge/reading/blocks.ts';
import { createSearch, type Search } from '../../server/src/knowledge/retrieve/search.ts';
import { openVectorStore } from '../../server/src/knowledge/retrieve/vector-store.ts';
import { finishJob, type Job } from '../../server/src/knowledge/store/job-rows.ts';
import {
  draftsWithoutVector,
  insertDrafts,
  publishDrafts,
  searchedText,
} from '../../server/src/knowledge/store/passage-rows.ts';
import type { Database } from '../../server/src/platform/db/index.ts';
import type { Log } from '../../server/src/platform/log.ts';
import { sandboxVector } from '../../server/src/platform/upstream/sandbox/embeddings.ts';

export interface Pair {
  /** Several spellings of it are parted by ` / `. */
  question: string;
  /** Of the section it stands in. Measured with and without: documents have headings, but not all of them. */
  heading: string;
  passage: string;
}

export interface Score {
  questions: number;
  hitAt1: number;
  hitAt3: number;
  meanReciprocalRank: number;
}

export function readPairs(set: 'persian' | 'english' | 'persian-spellings', root: string): Pair[] {
  const text = readFileSync(join(root, 'bench/retrieval', `${set}.txt`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [question = '', heading = '', passage = ''] = line.split('|');
      return { question, heading, passage };
    });
}

/** The sandbox's vectors: letters, not meaning, so what hybrid gains here is the least it can gain. */
const sandboxEmbedder: Embedder = {
  embed: async ({ texts }) => texts.map((text) => sandboxVector(text, 384)),
};

export interface BaseKind {
  embeddingModel: string | null;
  headings: boolean;
}

/** The four that are measured. */
export const BASES: Record<string, BaseKind> = {
  lexical: { embeddingModel: null, headings: true },
  hybrid: { embeddingModel: 'sandbox/embed', headings: true },
  'lexical, no headings': { embeddingModel: null, headings: false },
  'hybrid, no headings': { embeddingModel: 'sandbox/embed', headings: false },
};

/** All passages of both languages in one base, so that each is also a distractor of the other. */
export async function fillBase(
  db: Database,
  id: string,
  { embeddingModel, headings }: BaseKind,
  pairs: readonly Pair[],
): Promise<void> {
  await db.query(`insert into account (id, name, rules, calendar, created_at, updated_at)
    values ('evaluation', 'Evaluation', '{}', '{}', now(), now()) on conflict do nothing`);
  await db.query(
    `insert into knowledge_base (id, account_id, name, embedding_model, created_at, updated_at)
     values ($1, 'evaluation', $1, $2, now(), now())`,
    [id, embeddingModel],
  );
  const vectors = await openVectorStore(db, 1 << 24);
  for (const [at, { heading, passage }] of pairs.entries()) {
    const blocks: Block[] = [
      ...(headings ? [{ kind: 'heading' as const, text: heading }] : []),
      { kind: 'text', text: passage },
    ];
    const documentId = `${id}-${at}`;
    await db.query(
      `insert into knowledge_document (id, base_id, name, source, bytes, state, created_at, updated_at)
       values ($1, $2, $3, 'text', 0, 'queued', now(), now())`,
      [documentId, id, `${at}`],
    );
    const job: Job = {
      documentId,
      baseId: id,
      accountId: 'evaluation',
      embeddingModel,
      name: '',
      url: null,
      mediaType: null,
      bytes: 0,
      revision: 1,
      drafted: false,
      attempts: 1,
    };
    await db.transaction((tx) => insertDrafts(tx, job, cutPassages(blocks)));
    if (embeddingModel !== null) {
      const drafts = await draftsWithoutVector(db, job, 100);
      const made = await sandboxEmbedder.embed({
        accountId: '',
        baseIds: [],
        model: embeddingModel,
        texts: drafts.map((each) => searchedText(each, '')),
      });
      await vectors.save(
        db,
        id,
        drafts.map(({ id: passageId }) => passageId),
        made,
      );
    }
    await db.transaction(async (tx) => {
      await finishJob(tx, job, '');
      await publishDrafts(tx, job);
    });
  }
}

export async function openSearch(db: Database, log: Log): Promise<Search> {
  return createSearch({
    db,
    vectors: await openVectorStore(db, 1 << 24),
    embedder: sandboxEmbedder,
    clock: systemClock,
    log,
  });
}

export async function evaluate(
  search: Search,
  baseId: string,
  pairs: readonly Pair[],
): Promise<{ score: Score; misses: string[] }> {
  const asked = pairs
    .filter(({ question }) => question !== '')
    .flatMap(({ question, passage }) => question.split(' / ').map((each) => ({ question: each, passage })));
  const misses: string[] = [];
  let first = 0;
  let amongThree = 0;
  let reciprocal = 0;
  for (const { question, passage } of asked) {
    const found = await search({ baseIds: [baseId], question, limit: 10 });
    const place = found.findIndex(({ text }) => text === passage);
    if (place === 0) first++;
    if (place >= 0 && place < 3) amongThree++;
    else misses.push(question);
    if (place >= 0) reciprocal += 1 / (place + 1);
  }
  const questions = asked.length;
  const score = {
    questions,
    hitAt1: first / questions,
    hitAt3: amongThree / questions,
    meanReciprocalRank: reciprocal / questions,
  };
  return { score, misses };
}
