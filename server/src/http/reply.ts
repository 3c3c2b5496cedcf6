/** What an answer is written to: Node's own response object, or the fast path's (packages/http-fast-path). */
import type { Socket } from 'node:net';

export type Headers = Record<string, string | number>;

type ReplyEvent = 'close' | 'drain' | 'finish';

export interface Reply {
  /** The client is gone. */
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  /** All bytes are with the kernel. */
  readonly writableFinished: boolean;
  readonly writableLength: number;
  readonly socket: Socket | null;
  writeHead(status: number, headers: Headers): unknown;
  /** False when the reader is slower than we are: 'drain' follows. */
  write(data: string | Uint8Array): boolean;
  end(data?: string | Uint8Array): unknown;
  destroy(): unknown;
  on(event: ReplyEvent, listener: () => void): unknown;
  once(event: ReplyEvent, listener: () => void): unknown;
  removeListener(event: ReplyEvent, listener: () => void): unknown;
}
