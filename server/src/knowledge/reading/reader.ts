/** Reads a file in a process of its own with limits on time and memory, so that a file can only harm itself. */
import { workerUrl } from '../../platform/worker-url.ts';
import { type Block, type ReadingLimits, Unreadable } from './blocks.ts';
import { isShortText, type ReadingOrder, type ReadingReport, readDocument } from './read-document.ts';
import { ReadingProcess } from './reading-process.ts';
import { unreadableReasons } from './reasons.ts';

export interface ReaderLimits extends ReadingLimits {
  readingMs: number;
  memoryMb: number;
}

/** `beforeLarge` is called before a file is given to a process of its own. */
export type DocumentReader = (
  file: Omit<ReadingOrder, 'limits'>,
  signal?: AbortSignal,
  beforeLarge?: () => Promise<void>,
) => Promise<Block[]>;

export const DEFAULT_READER_LIMITS: ReaderLimits = {
  unpackedBytes: 128 * 1024 * 1024,
  // About 2,500 pages.
  characters: 8_000_000,
  readingMs: 60_000,
  memoryMb: 768,
};

const PROGRAM = 'knowledge/reading/read-document.worker.ts';

/** How long a process without work is kept for the next file. */
const REST_MS = 30_000;

export function createDocumentReader(limits: ReaderLimits = DEFAULT_READER_LIMITS): DocumentReader {
  const resting: { process: ReadingProcess; timer: NodeJS.Timeout }[] = [];
  const take = async (): Promise<ReadingProcess> => {
    for (let next = resting.pop(); next; next = resting.pop()) {
      clearTimeout(next.timer);
      if (next.process.usable) return next.process;
      next.process.end();
    }
    return new ReadingProcess(await workerUrl(PROGRAM), limits);
  };
  const giveBack = (process: ReadingProcess): void => {
    if (!process.usable) {
      process.end();
      return;
    }
    process.rest();
    const timer = setTimeout(() => process.end(), REST_MS);
    timer.unref();
    resting.push({ process, timer });
  };
  return async (file, signal, beforeLarge) => {
    signal?.throwIfAborted();
    const order: ReadingOrder = { ...file, limits };
    if (isShortText(order)) return readHere(order);
    await beforeLarge?.();
    const process = await take();
    try {
      return blocksOf(await process.read(order, signal));
    } finally {
      giveBack(process);
    }
  };
}

/**
 * The blocks of a short text; undefined for everything else, and where it cannot be read, so that a later reader
 * reports why.
 */
export async function readShortText(file: Omit<ReadingOrder, 'limits'>): Promise<Block[] | undefined> {
  const order: ReadingOrder = { ...file, limits: DEFAULT_READER_LIMITS };
  return isShortText(order) ? readDocument(order).catch(() => undefined) : undefined;
}

/** A few pages of text can do no harm, so they are read in this process, which is far cheaper than handing them over. */
async function readHere(order: ReadingOrder): Promise<Block[]> {
  try {
    return await readDocument(order);
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(unreadableReasons.broken, error);
  }
}

function blocksOf(report: ReadingReport): Block[] {
  if (report.kind === 'read') return report.blocks;
  throw new Unreadable(report.kind === 'unreadable' ? report.reason : unreadableReasons.broken, report.cause);
}
