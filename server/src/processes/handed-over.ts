/**
 * A connection goes to a process as a message of Node's own, and Node keeps it until the process has confirmed that it took it. When
 * the process dies before that, Node forgets the connection and leaves it open: its client would wait for ever. It is closed
 * here, so that the client learns of it and may try again.
 */
import type { ChildProcess } from 'node:child_process';
import type { Worker } from 'node:cluster';

/** `lib/internal/cluster` in Node's sources: the same in every version that we run on. */
interface NodesMessage {
  cmd?: string;
  act?: string;
  seq?: number;
  ack?: number;
}

interface Connection {
  close(): void;
}

export function closeWhatWasNotTaken({ process: child }: Pick<Worker, 'process'>): void {
  const untaken = new Map<number, Connection>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = ((message: NodesMessage, connection?: Connection, ...more: unknown[]) => {
    if (message?.act === 'newconn' && message.seq !== undefined && connection) untaken.set(message.seq, connection);
    return send(message, connection, ...more);
  }) as ChildProcess['send'];
  child.on('internalMessage', ({ ack }: NodesMessage) => {
    if (ack !== undefined) untaken.delete(ack);
  });
  // Not at `disconnect`, which never comes while a connection is unconfirmed. After a turn everything it said has been read.
  child.once('exit', () =>
    setImmediate(() => {
      for (const connection of untaken.values()) connection.close();
    }),
  );
}
