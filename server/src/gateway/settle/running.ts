/** The requests this process is answering now: counted for overload, waited for when draining. */

import { GatewayError } from '../../core/errors.ts';
import { type Indexed, IndexedList } from '../../core/indexed-list.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Cancellation } from '../../platform/upstream/index.ts';

export interface Running extends Indexed {
  readonly cancellation: Cancellation;
  readonly key: { readonly account: Pick<KeySnapshot['account'], 'id' | 'blocked'> };
}

const ACCOUNT_BLOCKED = 'account blocked';

/** What a request is refused or ended with because staff closed the access of its account; undefined where that is not why it ends. */
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

  /** Its requests end with an error: a stream in its frames, charged for what it delivered. */
  endAccount(accountId: string): void {
    this.#blocked.add(accountId);
    for (const { key, cancellation } of [...this.#running.entries])
      if (key.account.id === accountId) cancellation.cancel(ACCOUNT_BLOCKED);
  }

  letAccount(accountId: string): void {
    this.#blocked.delete(accountId);
  }

  /**
   * A request that was let in just before the news came begins just after it. Whoever was let in later knows of the block, and was let
   * in because it had run out.
   */
  #endIfMissed({ key: { account }, cancellation }: Running): void {
    if (this.#blocked.has(account.id) && !account.blocked) cancellation.cancel(ACCOUNT_BLOCKED);
  }

  remove(request: Running): void {
    if (this.#running.remove(request) && this.#running.size === 0) this.#nowIdle();
  }

  /** The drain's time is over: each ends with an error event and is settled for what it delivered. */
  cancelAll(reason: string): void {
    for (const { cancellation } of [...this.#running.entries]) cancellation.cancel(reason);
  }

  /** Resolves when nothing runs any more. */
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
