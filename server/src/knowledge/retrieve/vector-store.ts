/**
 * Vectors in the database and the nearest ones to a question. With pgvector the database searches; without it the gateway
 * compares exactly, over vectors kept in memory for as long as their base does not change, within a bound.
 */
import { LRUCache } from 'lru-cache';
import type { Database, Queryable } from '../../platform/db/index.ts';
import type { SearchedBase } from '../store/base-rows.ts';
import {
  INSERT_PGVECTORS,
  INSERT_VECTORS,
  NEAREST_PGVECTORS,
  TYPE_OF_VECTORS,
  VECTORS_OF_BASE,
} from './vector-rows.ts';

export interface VectorStore {
  save(tx: Queryable, baseId: string, ids: readonly bigint[], vectors: readonly Float32Array[]): Promise<void>;
  /** Ids of passages, nearest first. */
  nearest(bases: readonly SearchedBase[], question: Float32Array, limit: number): Promise<bigint[]>;
}

/** `vector` where the migration found pgvector, `bytea` elsewhere. */
export async function openVectorStore(db: Database, cacheBytes: number): Promise<VectorStore> {
  const column = await TYPE_OF_VECTORS.first(db);
  return column?.type === 'vector' ? createPgvectorStore(db) : createExactStore(db, cacheBytes);
}

function createPgvectorStore(db: Database): VectorStore {
  return {
    async save(tx, baseId, ids, vectors) {
      await INSERT_PGVECTORS.run(tx, [baseId, ids.map(String), vectors.map(literal)]);
    },
    async nearest(bases, question, limit) {
      // A base whose model was exchanged may contain vectors of another length until all are made again.
      const rows = await NEAREST_PGVECTORS.rows(db, [
        bases.map(({ id }) => id),
        literal(question),
        question.length,
        limit,
      ]);
      return rows.map(({ id }) => id);
    },
  };
}

function literal(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

interface LoadedBase {
  version: bigint;
  ids: bigint[];
  /** Unit vectors, one after the other. */
  values: Float32Array;
  dimensions: number;
}

const ROWS_PER_READ = 2_000;

function createExactStore(db: Database, cacheBytes: number): VectorStore {
  const loaded = new LRUCache<string, LoadedBase>({
    maxSize: cacheBytes,
    sizeCalculation: ({ values }) => Math.max(1, values.byteLength),
  });

  async function load(base: SearchedBase, dimensions: number): Promise<LoadedBase> {
    const known = loaded.get(base.id);
    if (known?.version === base.version && known.dimensions === dimensions) return known;
    const fresh = await read(db, base, dimensions, cacheBytes);
    loaded.set(base.id, fresh);
    return fresh;
  }

  return {
    async save(tx, baseId, ids, vectors) {
      await INSERT_VECTORS().run(tx, [
        baseId,
        ids.map(String),
        vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)),
      ]);
    },
    async nearest(bases, question, limit) {
      const scored: { id: bigint; score: number }[] = [];
      for (const base of bases) {
        const { ids, values, dimensions } = await load(base, question.length);
        ids.forEach((id, row) => {
          scored.push({ id, score: dot(values, row * dimensions, question) });
        });
      }
      return scored
        .sort((a, b) => b.score - a.score)
        .slice(0, limit)
        .map(({ id }) => id);
    },
  };
}

/** At most `maxBytes`: a base beyond it is searched by words, and by the vectors of its oldest passages. */
async function read(db: Database, base: SearchedBase, dimensions: number, maxBytes: number): Promise<LoadedBase> {
  const max = Math.max(1, Math.floor(maxBytes / (dimensions * 4)));
  const ids: bigint[] = [];
  const parts: Float32Array[] = [];
  for (let last = 0n; ids.length < max; ) {
    const rows = await VECTORS_OF_BASE().rows(db, [
      base.id,
      String(last),
      dimensions * 4,
      Math.min(ROWS_PER_READ, max - ids.length),
    ]);
    for (const row of rows) {
      ids.push(row.id);
      parts.push(unit(floatsOf(row.embedding)));
    }
    const end = rows.at(-1);
    if (!end) break;
    last = end.id;
  }
  const values = new Float32Array(ids.length * dimensions);
  parts.forEach((part, row) => {
    values.set(part, row * dimensions);
  });
  return { version: base.version, ids, values, dimensions };
}

function floatsOf(bytes: Buffer): Float32Array {
  // A copy, because the driver's buffer need not be aligned to four bytes.
  const copy = new Uint8Array(bytes);
  return new Float32Array(copy.buffer, 0, copy.byteLength / 4);
}

function unit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum) || 1;
  return vector.map((value) => value / length);
}

function dot(values: Float32Array, from: number, question: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < question.length; at++) sum += (values[from + at] as number) * (question[at] as number);
  return sum;
}
