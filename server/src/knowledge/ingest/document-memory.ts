/** How much memory a document may need while it is read, as a part of the budget that requests share. */
import { FILE_MEMORY_FACTOR, type MemoryBudget } from '../../platform/memory-budget.ts';
import { DEFAULT_READER_LIMITS } from '../reading/reader.ts';

const MIB = 1024 * 1024;
/** Two documents at once where there is room, so that one large document does not stop all others. */
const AT_ONCE = 2;
/** With less memory the libraries for PDF and Office cannot read any document. */
const MIN_MB = 256;

export interface DocumentMemory {
  /** The limit of the process that reads a document. */
  memoryMb: number;
  /** What is reserved from the budget for a document of so many bytes. */
  needOf(bytes: number): number;
}

/**
 * Each document reserves what its reading process may use at most, because nobody knows beforehand what a packed file
 * unpacks to. In a very small container that is more than the documents' part of the budget, so one document at a time
 * reserves all of that part.
 */
export function documentMemory(budget: Pick<MemoryBudget, 'maxForDocuments'>): DocumentMemory {
  const most = budget.maxForDocuments;
  const part = Math.floor(most / AT_ONCE / MIB);
  const memoryMb = Math.max(MIN_MB, Math.min(DEFAULT_READER_LIMITS.memoryMb, part));
  return { memoryMb, needOf: (bytes) => Math.min(memoryMb * MIB + bytes * FILE_MEMORY_FACTOR, most) };
}
