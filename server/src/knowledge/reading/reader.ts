/** Reads a file in a thread of its own with bounds on time and memory: a file can only ever hurt itself. */
import { Worker } from 'node:worker_threads';
import type { Text } from '../../core/errors.ts';
import { workerUrl } from '../../platform/worker-url.ts';
import { type Block, type ReadingLimits, Unreadable } from './blocks.ts';
import { isShortText, type ReadingOrder, readDocument } from './read-document.ts';

export type ReadingReport =
  | { kind: 'read'; blocks: Block[] }
  | { kind: 'unreadable'; reason: Text; cause: string }
  /** The reader threw what it should not have. The file is still to blame: text files do not do this. */
  | { kind: 'broken'; cause: string };

export interface ReaderLimits extends ReadingLimits {
  readingMs: number;
  memoryMb: number;
}

export type DocumentReader = (file: Omit<ReadingOrder, 'limits'>, signal?: AbortSignal) => Promise<Block[]>;

export const DEFAULT_READER_LIMITS: ReaderLimits = {
  unpackedBytes: 128 * 1024 * 1024,
  // About 2,500 pages.
  characters: 8_000_000,
  readingMs: 60_000,
  memoryMb: 384,
};

const WORKER = 'knowledge/reading/read-document.worker.ts';

export function createDocumentReader(limits: ReaderLimits = DEFAULT_READER_LIMITS): DocumentReader {
  return async (file, signal) => {
    signal?.throwIfAborted();
    const order: ReadingOrder = { ...file, limits };
    if (isShortText(order)) return readHere(order);
    const worker = new Worker(await workerUrl(WORKER), {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 },
      env: {},
      stdout: true,
      stderr: true,
    });
    const stop = () => void worker.terminate();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return blocksOf(await outcomeOf(worker, limits.readingMs));
    } finally {
      signal?.removeEventListener('abort', stop);
      await worker.terminate();
    }
  };
}

/** A few pages of text cannot hurt anybody: read at once, for a hundredth of what starting a thread costs. */
async function readHere(order: ReadingOrder): Promise<Block[]> {
  try {
    return await readDocument(order);
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(broken, error);
  }
}

function outcomeOf(worker: Worker, limitMs: number): Promise<ReadingReport> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Unreadable(tooSlow)), limitMs);
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      finish();
    };
    worker.once('message', (report: ReadingReport) => settle(() => resolve(report)));
    worker.once('error', (error: Error & { code?: string }) =>
      settle(() => reject(new Unreadable(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooBig : broken, error))),
    );
    worker.once('exit', () => settle(() => reject(new Error('the reading thread ended without a report'))));
  });
}

function blocksOf(report: ReadingReport): Block[] {
  if (report.kind === 'read') return report.blocks;
  throw new Unreadable(report.kind === 'unreadable' ? report.reason : broken, report.cause);
}

const tooSlow = {
  fa: 'خواندن این سند بیش از اندازه طول کشید؛ آن را به چند سند بشکنید.',
  en: 'Reading this document took too long; split it into several documents.',
};
const tooBig = {
  fa: 'خواندن این سند حافظهٔ بیش از اندازه می‌خواهد؛ آن را به چند سند بشکنید.',
  en: 'Reading this document needs too much memory; split it into several documents.',
};
const broken = { fa: 'این فایل خراب یا ناقص است.', en: 'The file is damaged or incomplete.' };
