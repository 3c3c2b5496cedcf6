/**
 * Bounds the answers that this process makes in the background: they hold no connection, so without a bound they could
 * hold memory without end.
 */
import { GatewayError } from '../../core/errors.ts';
import type { ResponseStore } from '../../responses/index.ts';
import type { ClientConnection } from '../call.ts';

export interface BackgroundBounds {
  running: number;
  runningOfAccount: number;
  /** The bound on the bytes of all their bodies together. */
  bodyBytes: number;
}

const BOUNDS: BackgroundBounds = { running: 1_000, runningOfAccount: 100, bodyBytes: 128 << 20 };
const RETRY_MS = 5_000;

export interface BackgroundSlot {
  /** Removed when the answer is cancelled. */
  client: ClientConnection;
  /** Called once the answer can be cancelled by its id. */
  begun(id: string): void;
  leave(): void;
}

export class BackgroundAnswers {
  readonly #bounds: BackgroundBounds;
  readonly #clients = new Map<string, AbsentClient>();
  readonly #ofAccounts = new Map<string, number>();
  #running = 0;
  #bodyBytes = 0;

  constructor(store: Pick<ResponseStore, 'onCancel'>, bounds = BOUNDS) {
    this.#bounds = bounds;
    store.onCancel((id) => this.#clients.get(id)?.leave());
  }

  enter(accountId: string, bodyBytes: number): BackgroundSlot {
    const { running, runningOfAccount, bodyBytes: maxBytes } = this.#bounds;
    const ofAccount = this.#ofAccounts.get(accountId) ?? 0;
    if (ofAccount >= runningOfAccount)
      throw new GatewayError('rate_limited', {
        retryAfterMs: RETRY_MS,
        detail: { limit: 'background_responses', limit_value: runningOfAccount },
      });
    if (this.#running >= running || this.#bodyBytes + bodyBytes > maxBytes)
      throw new GatewayError('overloaded', { retryAfterMs: RETRY_MS });
    this.#count(accountId, 1, bodyBytes);
    const client = new AbsentClient();
    let knownAs: string | undefined;
    return {
      client,
      begun: (id) => {
        knownAs = id;
        this.#clients.set(id, client);
      },
      leave: () => {
        if (knownAs !== undefined) this.#clients.delete(knownAs);
        this.#count(accountId, -1, -bodyBytes);
      },
    };
  }

  #count(accountId: string, one: 1 | -1, bodyBytes: number): void {
    this.#running += one;
    this.#bodyBytes += bodyBytes;
    const left = (this.#ofAccounts.get(accountId) ?? 0) + one;
    if (left === 0) this.#ofAccounts.delete(accountId);
    else this.#ofAccounts.set(accountId, left);
  }
}

class AbsentClient implements ClientConnection {
  gone = false;
  readonly #listeners: (() => void)[] = [];

  onGone(listener: () => void): void {
    if (this.gone) listener();
    else this.#listeners.push(listener);
  }

  leave(): void {
    if (this.gone) return;
    this.gone = true;
    for (const listener of this.#listeners) listener();
  }
}
