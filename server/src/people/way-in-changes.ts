/**
 * Every change of how a person signs in is sent to every number and address that was theirs before, with a link that
 * ends all their sessions: a victim can remove the thief without signing in.
 */

import type { Text } from '@dargah/core/text.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Messenger } from '../messages/index.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import { Attempts } from './attempts.ts';
import type { KnownNetworks } from './known-networks.ts';
import { changedWayInMessage, type WayInChange } from './messages-to-people.ts';
import type { Identity } from './person-rows.ts';
import { selectIdentities, selectPerson } from './persons.ts';
import type { Sessions } from './sessions.ts';
import type { SignInTickets } from './tickets.ts';

/** Each change costs messages. Further changes are refused, so that none goes without its message. */
const MAX_CHANGES_DAILY = 100;

export interface WayInChangesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  messenger: Messenger;
  networks: KnownNetworks;
  sessions: Sessions;
  tickets: SignInTickets;
  brand(): Text;
}

export class WayInChanges {
  readonly #options: WayInChangesOptions;
  readonly #attempts: Attempts;
  readonly #changed: RecordChange;

  constructor(options: WayInChangesOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.db, options.clock);
    this.#changed = createChangeRecorder(options, 'person');
  }

  /**
   * Makes the change and sends the messages. The link is made first, so that a change that happened can always be told.
   */
  async told<T>(personId: string, change: WayInChange, site: string, work: () => Promise<T>): Promise<T> {
    const { db, tickets, messenger, brand } = this.#options;
    const limit = { counter: `way-in-changes:${personId}`, max: MAX_CHANGES_DAILY, spanMs: DAY_MS };
    await this.#attempts.count([limit]);
    const { language } = await selectPerson(db, personId);
    const before = await selectIdentities(db, [personId]);
    const secret = await tickets.make('end-sessions', personId, {});
    const result = await work();
    const message = { language, brand: brand(), link: `${site}/console/end-sessions#${secret}` };
    for (const contact of before.filter(isReachable)) messenger.send(changedWayInMessage(contact, change, message));
    return result;
  }

  /** Called from the link: ends all sessions, and what was begun before cannot be finished any more. Works once. */
  async endSessions(secret: string): Promise<number> {
    const { db, tickets, sessions, networks } = this.#options;
    const found = await tickets.look('end-sessions', secret);
    if (!found || found.personId === null || !(await tickets.spend(secret))) throw new GatewayError('not_found');
    const { personId } = found;
    return db.transaction(async (tx) => {
      await networks.forget(tx, personId);
      await tickets.forgetBegun(tx, personId);
      await this.#changed(tx, `person:${personId}`, 'person.sign_out', personId, {});
      return sessions.endAll(personId, null, tx);
    });
  }
}

function isReachable(identity: Identity): identity is Identity & { kind: 'mobile' | 'email' } {
  return identity.kind !== 'name';
}
