/** A reply that never saw a socket. Chunks come one event-loop turn apart, so that a long answer starves nobody. */
import type { Cancellation } from '../cancellation.ts';
import { transportFailure } from '../name-failure.ts';
import type { TransportError, UpstreamReply } from '../port.ts';

export interface LocalAnswer {
  status: number;
  headers: Record<string, string>;
  chunks: (string | Uint8Array)[];
  /** The connection breaks after the last of them. */
  breaks?: true;
}

export class LocalReply implements UpstreamReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly #chunks: (string | Uint8Array)[];
  readonly #breaks: boolean;
  #next = 0;
  #error: TransportError | undefined;

  constructor(answer: LocalAnswer, cancellation: Cancellation | undefined) {
    this.status = answer.status;
    this.headers = answer.headers;
    this.#chunks = answer.chunks;
    this.#breaks = answer.breaks === true;
    cancellation?.attach((reason) => this.abort(reason));
  }

  header(name: string): string | undefined {
    return this.headers[name];
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#next > 0) await new Promise((resolve) => setImmediate(resolve));
    if (this.#error) throw this.#error;
    const chunk = this.#chunks[this.#next++];
    if (chunk === undefined && this.#breaks)
      throw transportFailure('truncated', 'reset', 'sandbox: broken off', 'body');
    if (chunk === undefined) return null;
    return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }

  async text(limitBytes: number): Promise<string> {
    if (this.#error) throw this.#error;
    const whole = this.#rest();
    if (whole.length > limitBytes) throw transportFailure('malformed', 'too_large', 'sandbox: too large', 'body');
    return whole.toString('utf8');
  }

  async excerpt(limitBytes: number): Promise<string> {
    return this.#rest().toString('utf8').slice(0, limitBytes);
  }

  markFirstEvent(): void {}

  pace(): void {}

  release(): void {
    this.#next = this.#chunks.length;
  }

  abort(reason: string): void {
    if (this.#next > this.#chunks.length) return;
    this.#error ??= transportFailure('truncated', 'aborted', `sandbox: aborted: ${reason}`, 'body');
  }

  #rest(): Buffer {
    const rest = this.#chunks
      .slice(this.#next)
      .map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
    this.#next = this.#chunks.length + 1;
    return Buffer.concat(rest);
  }
}

export function jsonReply(status: number, body: object): LocalAnswer {
  return { status, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)] };
}
