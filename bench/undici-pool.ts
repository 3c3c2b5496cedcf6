/**
 * undici's `Pool.dispatch` behind the interface of our client, with the least it can do: its raw callbacks, headers decoded only
 * when somebody asks, no time limits of its own. Named as ours is, so that a gateway can be built with it (clients.mjs).
 */
import { Pool } from 'undici';
import type {
  AnswerHandler,
  AnswerHead,
  Carrier,
  ClientPool,
  OutgoingCall,
  PoolStats,
} from '../server/packages/http-client/src/call.ts';
import type { Destination } from '../server/packages/http-client/src/destination.ts';

export class ConnectionPool implements ClientPool {
  readonly #pool: Pool;

  constructor({ secure, host }: Destination, connections: number) {
    this.#pool = new Pool(`${secure ? 'https' : 'http'}://${host}`, {
      connections,
      pipelining: 1,
      keepAliveTimeout: 4_000,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  dispatch({ method, headers, body }: OutgoingCall, path: string, handler: AnswerHandler): void {
    this.#pool.dispatch(
      { method: method as 'POST', path, headers, body: body as string },
      new UndiciCall(handler) as unknown as Parameters<Pool['dispatch']>[1],
    );
  }

  stats(): PoolStats {
    const { connected, running, queued } = this.#pool.stats;
    return { connected, running, queued };
  }

  close(): void {
    void this.#pool.close();
  }

  destroy(reason: Error): Promise<void> {
    return this.#pool.destroy(reason);
  }
}

class UndiciCall implements Carrier {
  readonly #handler: AnswerHandler;
  #abort: ((error: Error) => void) | undefined;
  #resume: (() => void) | undefined;

  constructor(handler: AnswerHandler) {
    this.#handler = handler;
  }

  onConnect(abort: (error: Error) => void): void {
    this.#abort = abort;
    this.#handler.onAssigned(this);
    this.#handler.onSent();
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    this.#resume = resume;
    this.#handler.onHead(new UndiciHead(status, raw));
    return true;
  }

  onData(chunk: Buffer): boolean {
    return this.#handler.onBody(chunk);
  }

  onComplete(): void {
    this.#handler.onEnd();
  }

  onError(error: Error): void {
    this.#handler.onError(error);
  }

  /** Undici pauses by what `onData` returns and in no other way. */
  pause(): void {}

  resume(): void {
    this.#resume?.();
  }

  drop(): void {
    this.#abort?.(new Error('dropped'));
  }
}

class UndiciHead implements AnswerHead {
  readonly status: number;
  readonly #raw: Buffer[];

  constructor(status: number, raw: Buffer[]) {
    this.status = status;
    this.#raw = raw;
  }

  header(name: string): string | undefined {
    for (let at = 0; at + 1 < this.#raw.length; at += 2) {
      const found = this.#raw[at] as Buffer;
      if (found.length === name.length && found.toString('latin1').toLowerCase() === name)
        return this.#raw[at + 1]?.toString('latin1');
    }
    return undefined;
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    for (let at = 0; at + 1 < this.#raw.length; at += 2)
      headers[String(this.#raw[at]).toLowerCase()] = String(this.#raw[at + 1]);
    return headers;
  }
}
