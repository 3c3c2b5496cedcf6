/**
 * Networks from which a person has signed in. Wrong passwords from one of them are counted in a window of its own, so that
 * strangers who guess from elsewhere cannot keep the person out. Only a whole sign-in makes a network known, and a person has few
 * of them, so that guesses stay bounded: ten an hour from all strangers together, and ten from each known network.
 */

import type { Clock } from '../core/clock.ts';
import { DAY_MS } from '../core/time-spans.ts';
import type { Queryable } from '../platform/db/index.ts';
import { networkOf } from './contacts.ts';
import type { Identity } from './persons.ts';

const MOST_KNOWN = 5;
const KNOWN_MS = 90 * DAY_MS;

export class KnownNetworks {
  readonly #db: Queryable;
  readonly #clock: Clock;

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** The window in which a wrong password from this address counts. Unknown people cause the same work. */
  async window({ kind, value }: Pick<Identity, 'kind' | 'value'>, address: string): Promise<string> {
    const network = networkOf(address);
    const known = await this.#db.query(
      `select 1 from known_network k join identity i on i.person_id = k.person_id
       where i.kind = $1 and i.value = $2 and k.network = $3 and k.last_at > $4`,
      [kind, value, network, this.#oldest()],
    );
    return known.length > 0 ? `${value} ${network}` : value;
  }

  /** The ones used last stay. */
  async remember(personId: string, address: string): Promise<void> {
    const now = new Date(this.#clock.now());
    await this.#db.query(
      `insert into known_network (person_id, network, last_at) values ($1, $2, $3)
       on conflict (person_id, network) do update set last_at = excluded.last_at`,
      [personId, networkOf(address), now],
    );
    await this.#db.query(
      `delete from known_network where person_id = $1 and network not in (
         select network from known_network where person_id = $1 order by last_at desc, network limit ${MOST_KNOWN})`,
      [personId],
    );
  }

  /** Called with a new password, because somebody who knew the old one may have signed in from somewhere. */
  async forget(tx: Queryable, personId: string): Promise<void> {
    await tx.query('delete from known_network where person_id = $1', [personId]);
  }

  async forgetOld(): Promise<void> {
    await this.#db.query('delete from known_network where last_at < $1', [this.#oldest()]);
  }

  #oldest(): Date {
    return new Date(this.#clock.now() - KNOWN_MS);
  }
}
