/** The requests this process is answering now: counted for overload, waited for at shutdown. */

import { GatewayError } from '../../core/errors.ts';
import { type Indexed, IndexedList } from '../../core/indexed-list.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Cancellation } from '../../platform/upstream/index.ts';

export interface Running extends Indexed {
  readonly cancellation: Cancellation;
  readonly key: { readonly account: Pick<KeySnapshot['account'], 'id' | 'blocked'> };
}

const ACCOUNT_BLOCKED = 'account blocked';

/**
 * The error for requests that are refused or ended because staff blocked the account; undefined where that is not why
 * they end.
 */
export function endedByBlock({ cancellation }: Pick<Running, 'cancellation'>): GatewayError | undefined {
  return cancellation.reason === ACCOUNT_BLOCKED ? new GatewayError('account_blocked') : undefined;
}

export class RunningRequests {
  readonly #running = new IndexedList<Running>();
  readonly #blocked = new Set<string>();
  #idleListeners: (() => void)[] = [];

  get size(): number {
    return this.#running.size;
  }

  add(request: Running): void {
    this.#running.add(request);
    if (this.#blocked.size > 0) this.#endIfMissed(request);
  }

  countOf(accountId: string): number {
    let count = 0;
    for (const { key } of this.#running.entries) if (key.account.id === accountId) count++;
    return count;
  }

  /** Ends the account's requests with an error: a stream in its frames, charged for what it delivered. */
  endAccount(accountId: string): void {
    this.#blocked.add(accountId);
    for (const { key, cancellation } of [...this.#running.entries])
      if (key.account.id === accountId) cancellation.cancel(ACCOUNT_BLOCKED);
  }

  letAccount(accountId: string): void {
    this.#blocked.delete(accountId);
  }

  /**
   * A request that was admitted just before the block was heard may begin just after it, so it is ended too. One
   * admitted later saw the block, and was admitted because it had expired.
   */
  #endIfMissed({ key: { account }, cancellation }: Running): void {
    if (this.#blocked.has(account.id) && !account.blocked) cancellation.cancel(ACCOUNT_BLOCKED);
  }

  remove(request: Running): void {
    if (this.#running.remove(request) && this.#running.size === 0) this.#nowIdle();
  }

  /** The time for draining is over: each request ends with an error event and is settled for what it delivered. */
  cancelAll(reason: string): void {
    for (const { cancellation } of [...this.#running.entries]) cancellation.cancel(reason);
  }

  /** Resolves when no request runs any more. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #nowIdle(): void {
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }
}
