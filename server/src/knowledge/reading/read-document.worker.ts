/** The process in which files are read, one after the other. It ends with the server that started it. */
import { Unreadable } from './blocks.ts';
import { type ReadingOrder, type ReadingReport, readDocument } from './read-document.ts';

function report(message: ReadingReport): void {
  process.send?.(message);
}

process.on('disconnect', () => process.exit(0));

process.on('message', (order: ReadingOrder) => {
  // Libraries refuse Node's own kind of bytes, or change those they share memory with.
  readDocument({ ...order, bytes: new Uint8Array(order.bytes) }).then(
    (blocks) => report({ kind: 'read', blocks }),
    (error: unknown) => {
      if (error instanceof Unreadable)
        report({ kind: 'unreadable', reason: error.reason, cause: String(error.cause ?? '') });
      else report({ kind: 'broken', cause: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    },
  );
});
