/**
 * Networks from which a person has signed in. Codes and passwords that are requested or tried from one of them have
 * limits of their own, so that strangers elsewhere cannot keep the person out. Only a complete sign-in makes a network
 * known, and a person has few of them, so that guesses stay bounded.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import { networkOf } from '../core/caller-network.ts';
import type { Clock } from '../core/clock.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { Identity } from './person-rows.ts';
import * as rows from './sign-in-rows.ts';

const MAX_KNOWN = 5;
export const KNOWN_NETWORK_MS = 90 * DAY_MS;

export class KnownNetworks {
  readonly #db: Queryable;
  readonly #clock: Clock;

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** True when the owner of this number or address has signed in from there. Unknown people cause the same work. */
  async knows({ kind, value }: Pick<Identity, 'kind' | 'value'>, address: string): Promise<boolean> {
    const known = await rows.KNOWN_NETWORK.first(this.#db, [kind, value, networkOf(address), this.#oldest()]);
    return known !== undefined;
  }

  /** Names the group whose wrong passwords are counted together: one known network, or all strangers. */
  async window(identity: Pick<Identity, 'kind' | 'value'>, address: string): Promise<string> {
    const { value } = identity;
    return (await this.knows(identity, address)) ? `${value} ${networkOf(address)}` : value;
  }

  /** Keeps the networks that were used last. */
  async remember(personId: string, address: string): Promise<void> {
    const now = new Date(this.#clock.now());
    await rows.REMEMBER_NETWORK.run(this.#db, [personId, networkOf(address), now]);
    await rows.KEEP_LAST_NETWORKS.run(this.#db, [personId, MAX_KNOWN]);
  }

  /** Called with a new password, because somebody who knew the old one may have signed in from somewhere. */
  async forget(tx: Queryable, personId: string): Promise<void> {
    await rows.FORGET_NETWORKS.run(tx, [personId]);
  }

  async forgetOld(): Promise<void> {
    await rows.FORGET_OLD_NETWORKS.run(this.#db, [this.#oldest()]);
  }

  #oldest(): Date {
    return new Date(this.#clock.now() - KNOWN_NETWORK_MS);
  }
}
