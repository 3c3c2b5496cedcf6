/** The thread in which one file is read. It ends with the file: whatever a hostile file did to its memory ends with it. */
import { parentPort, workerData } from 'node:worker_threads';
import { Unreadable } from './blocks.ts';
import { type ReadingOrder, readDocument } from './read-document.ts';
import type { ReadingReport } from './reader.ts';

function report(message: ReadingReport): void {
  parentPort?.postMessage(message);
}

readDocument(workerData as ReadingOrder).then(
  (blocks) => report({ kind: 'read', blocks }),
  (error: unknown) => {
    if (error instanceof Unreadable)
      report({ kind: 'unreadable', reason: error.reason, cause: String(error.cause ?? '') });
    else report({ kind: 'broken', cause: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  },
);
