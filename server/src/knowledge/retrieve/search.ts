/** The search: by words always, by vectors where a base has them; fused, without near-duplicates. */
import type { KeySnapshot } from '../../keys/index.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Embedder } from '../embedder.ts';
import type { Reranker } from '../reranker.ts';
import { type SearchedBase, selectSearched } from '../store/base-rows.ts';
import { type FoundPassage, selectPassages } from '../store/passage-rows.ts';
import { searchByWords } from './by-words.ts';
import { dropDuplicates, fuse, type ScoredPassage } from './fuse.ts';
import { readQuestion } from './question.ts';
import type { VectorStore } from './vector-store.ts';

export interface SearchOptions {
  db: Database;
  vectors: VectorStore;
  embedder: Embedder;
  reranker?: Reranker;
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

/** More than are ever shown: fusion needs the later places of each ranking. */
const NEAREST = 60;
/** So many of the best are given to a reranker, where one is named: a search of its vendor, and no more of the prompt's money. */
const RERANKED = 40;

export function createSearch({ db, vectors, embedder, reranker, log }: SearchOptions): Search {
  async function byVectors(bases: readonly SearchedBase[], { question, key }: SearchOrder): Promise<FoundPassage[][]> {
    const models = new Map<string, SearchedBase[]>();
    for (const base of bases) {
      if (base.embeddingModel !== null)
        models.set(base.embeddingModel, [...(models.get(base.embeddingModel) ?? []), base]);
    }
    const rankings: FoundPassage[][] = [];
    for (const [model, ofModel] of models) {
      const accountId = ofModel[0]?.accountId ?? '';
      const [vector] = await embedder.embed({ accountId, model, texts: [question], ...(key && { key }) });
      if (!vector) continue;
      const ids = await vectors.nearest(ofModel, vector, NEAREST);
      const found = new Map((await selectPassages(db, ids)).map((passage) => [passage.id, passage]));
      rankings.push(ids.flatMap((id) => found.get(id) ?? []));
    }
    return rankings;
  }

  /** The passages of a reranker's choice; as they were found where none is named, or where it does not answer. */
  async function inOrder(found: ScoredPassage[], accountId: string, order: SearchOrder): Promise<ScoredPassage[]> {
    const { question, key, limit } = order;
    if (found.length < 2 || !reranker) return found.slice(0, limit);
    const texts = found.map(({ text }) => text);
    const places = await reranker
      .rank({ accountId, query: question, texts, ...(key && { key }) })
      .catch((error: unknown) => {
        log.warn({ err: error }, 'passages stay in the order of the search');
        return undefined;
      });
    const ranked = places?.flatMap((place) => found[place] ?? []) ?? found;
    return ranked.slice(0, limit);
  }

  return async (order) => {
    const bases = (await selectSearched(db, order.baseIds)).filter(({ passages }) => passages > 0);
    if (bases.length === 0 || order.question.trim() === '') return [];
    const ids = bases.map(({ id }) => id);
    const total = bases.reduce((sum, { passages }) => sum + passages, 0);
    const [byWords, nearest] = await Promise.all([
      readQuestion(db, ids, total, order.question).then((concepts) => searchByWords(db, ids, concepts)),
      // Words alone still answer when the provider of vectors, or the wallet, does not.
      byVectors(bases, order).catch((error: unknown) => {
        log.warn({ err: error }, 'searched by words alone');
        return [];
      }),
    ]);
    const fused = fuse([byWords, ...nearest].filter((ranking) => ranking.length > 0));
    return inOrder(dropDuplicates(fused, Math.max(order.limit, RERANKED)), bases[0]?.accountId ?? '', order);
  };
}
