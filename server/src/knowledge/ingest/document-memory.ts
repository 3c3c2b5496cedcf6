/** How much memory a document may need while it is read, as a part of the budget that requests share. */
import { FILE_MEMORY_FACTOR, type MemoryBudget } from '../../platform/memory-budget.ts';
import { DEFAULT_READER_LIMITS } from '../reading/reader.ts';

const MIB = 1024 * 1024;
/** Two documents at once where there is room, so that one large document does not stop all others. */
const AT_ONCE = 2;
/** With less the libraries for PDF and Office read no document at all. */
const LEAST_MB = 256;

export interface DocumentMemory {
  /** Bound of the process that reads a document. */
  memoryMb: number;
  /** What is taken from the budget for a document of so many bytes. */
  needOf(bytes: number): number;
}

/**
 * Each document takes what its reading process may use at most, because nobody knows before what a packed file unpacks to. In a
 * very small container that is more than the documents' part of the budget: there one document at a time takes all of that part.
 */
export function documentMemory(budget: Pick<MemoryBudget, 'maxForDocuments'>): DocumentMemory {
  const most = budget.maxForDocuments;
  const part = Math.floor(most / AT_ONCE / MIB);
  const memoryMb = Math.max(LEAST_MB, Math.min(DEFAULT_READER_LIMITS.memoryMb, part));
  return { memoryMb, needOf: (bytes) => Math.min(memoryMb * MIB + bytes * FILE_MEMORY_FACTOR, most) };
}
