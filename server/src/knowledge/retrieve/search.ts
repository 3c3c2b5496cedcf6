/** The search: by words always, by vectors where a base has them; fused, without near-duplicates. */
import type { Clock } from '../../core/clock.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Embedder } from '../embedder.ts';
import type { Reranker } from '../reranker.ts';
import { type SearchedBase, selectSearched } from '../store/base-rows.ts';
import { selectPassages } from '../store/passage-rows.ts';
import { searchPostings } from './by-postings.ts';
import { searchByWords } from './by-words.ts';
import { DistinctPassages, type FusedPlace, fuse, type ScoredPassage } from './fuse.ts';
import { readQuestion } from './question.ts';
import type { VectorStore } from './vector-store.ts';
import { createVocabularies } from './vocabulary.ts';

export interface SearchOptions {
  db: Database;
  vectors: VectorStore;
  embedder: Embedder;
  reranker?: Reranker;
  clock: Clock;
  log: Log;
}

export interface SearchOrder {
  baseIds: string[];
  question: string;
  limit: number;
  /** The caller, whose limits a vector of the question counts against. */
  key?: KeySnapshot;
}

export type Search = (order: SearchOrder) => Promise<ScoredPassage[]>;

/** More than are ever shown, because fusion needs the later ranks of each ranking. */
const NEAREST = 60;
/**
 * So many of the best go to a reranker, where one is named: its vendor bills them as one search, and they take no more
 * of the prompt's money.
 */
const RERANKED = 40;

/** A document may be replaced between the ranking and the reading; the search then ranks again. */
const MAX_TRIES = 3;

/** Passages read beyond what is wanted, to replace duplicates. */
const SPARE = 6;

export function createSearch({ db, vectors, embedder, reranker, clock, log }: SearchOptions): Search {
  const vocabularies = createVocabularies(db, clock);

  async function byVectors(bases: readonly SearchedBase[], { question, key }: SearchOrder): Promise<number[][]> {
    const models = new Map<string, SearchedBase[]>();
    for (const base of bases) {
      if (base.embeddingModel !== null)
        models.set(base.embeddingModel, [...(models.get(base.embeddingModel) ?? []), base]);
    }
    const rankings: number[][] = [];
    for (const [model, ofModel] of models) {
      const accountId = ofModel[0]?.accountId ?? '';
      const baseIds = ofModel.map(({ id }) => id);
      const [vector] = await embedder.embed({ accountId, baseIds, model, texts: [question], ...(key && { key }) });
      if (vector) rankings.push((await vectors.nearest(ofModel, vector, NEAREST)).map(Number));
    }
    return rankings;
  }

  async function byWords(bases: readonly SearchedBase[], question: string): Promise<number[]> {
    if (bases.every(({ indexed }) => indexed)) return searchPostings(db, vocabularies, bases, question);
    const ids = bases.map(({ id }) => id);
    const total = bases.reduce((sum, { passages }) => sum + passages, 0);
    return searchByWords(db, ids, await readQuestion(db, ids, total, question));
  }

  /** The passages in the order of a reranker; as they were found where none is named, or where it does not answer. */
  async function inOrder(found: ScoredPassage[], accountId: string, order: SearchOrder): Promise<ScoredPassage[]> {
    const { question, key, limit, baseIds } = order;
    if (found.length < 2 || !reranker) return found.slice(0, limit);
    const texts = found.map(({ text }) => text);
    const places = await reranker
      .rank({ accountId, baseIds, query: question, texts, ...(key && { key }) })
      .catch((error: unknown) => {
        log.warn({ err: error }, 'passages stay in the order of the search');
        return undefined;
      });
    const ranked = places?.flatMap((place) => found[place] ?? []) ?? found;
    return ranked.slice(0, limit);
  }

  return async (order) => {
    let bases = await searchedBases(db, order);
    if (bases.length === 0 || order.question.trim() === '') return [];
    // The words alone still answer when the provider of vectors, or the wallet, does not.
    const near = byVectors(bases, order).catch((error: unknown) => {
      log.warn({ err: error }, 'searched by words alone');
      return [];
    });
    const most = reranker?.isNamed() ? Math.max(order.limit, RERANKED) : order.limit;
    for (let tries = 1; ; tries++) {
      const [words, nearest] = await Promise.all([byWords(bases, order.question), near]);
      const fused = fuse([words, ...nearest].filter((ranking) => ranking.length > 0));
      const { passages, gone } = await readDistinct(db, fused, most);
      if (!gone || tries === MAX_TRIES) return inOrder(passages, bases[0]?.accountId ?? '', order);
      bases = await searchedBases(db, order);
    }
  };
}

async function searchedBases(db: Database, { baseIds }: SearchOrder): Promise<SearchedBase[]> {
  return (await selectSearched(db, baseIds)).filter(({ passages }) => passages > 0);
}

/**
 * The first so many that are there and differ; texts are read only of those that may be among them. `gone`: one was replaced or
 * removed after it was ranked, and what took its place was not ranked.
 */
async function readDistinct(
  db: Database,
  places: readonly FusedPlace[],
  limit: number,
): Promise<{ passages: ScoredPassage[]; gone: boolean }> {
  const distinct = new DistinctPassages();
  let gone = false;
  for (let at = 0; at < places.length && distinct.passages.length < limit; ) {
    const next = places.slice(at, at + limit - distinct.passages.length + SPARE);
    at += next.length;
    const read = await selectPassages(
      db,
      next.map(({ id }) => id),
    );
    const found = new Map(read.map((passage) => [Number(passage.id), passage]));
    for (const { id, score } of next) {
      const passage = found.get(id);
      if (passage) distinct.add(passage, score);
      else gone = true;
    }
  }
  return { passages: distinct.passages.slice(0, limit), gone };
}
