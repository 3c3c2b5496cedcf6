/** The operator of the first start: has a password that the terminal showed, and neither number nor address. */
import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { createChangeRecorder, type RecordChange } from '../platform/admin-trail.ts';
import type { Database } from '../platform/db/index.ts';
import type { KnownNetworks } from './known-networks.ts';
import {
  findByContact,
  insertIdentity,
  insertPerson,
  type Person,
  selectPerson,
  updatePerson,
  updateTotp,
} from './persons.ts';
import type { Sessions } from './sessions.ts';

export const OPERATOR_IDENTITY = { kind: 'name', value: 'operator' } as const;

export interface FirstOperatorOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  sessions: Sessions;
  networks: KnownNetworks;
}

export class FirstOperator {
  readonly #options: FirstOperatorOptions;
  readonly #changed: RecordChange;

  constructor(options: FirstOperatorOptions) {
    this.#options = options;
    this.#changed = createChangeRecorder(options, 'person');
  }

  /** Makes the person, once. */
  async person(): Promise<Person> {
    const { db } = this.#options;
    const found = await findByContact(db, OPERATOR_IDENTITY);
    if (found) return found;
    return this.#make().catch(async (error: unknown) => {
      // Two may sign in for the first time at once: the second finds what the first has made.
      const made = await findByContact(db, OPERATOR_IDENTITY);
      if (!made) throw error;
      return made;
    });
  }

  /** After a reset only the new password is valid: the person's own password and every session end. */
  async forgetPassword(): Promise<void> {
    const { db, sessions, networks } = this.#options;
    const person = await findByContact(db, OPERATOR_IDENTITY);
    if (!person) return;
    await db.transaction(async (tx) => {
      await updatePerson(tx, person.id, { passwordHash: null });
      await updateTotp(tx, person.id, { totpSecret: null, totpConfirmed: false, totpStep: 0n, recovery: [] });
      await sessions.endAll(person.id, null, tx);
      await networks.forget(tx, person.id);
    });
  }

  async #make(): Promise<Person> {
    const { db, clock, randomBytes } = this.#options;
    const now = clock.now();
    const createdAt = new Date(now);
    const id = makeId('per', now, randomBytes);
    await db.transaction(async (tx) => {
      await insertPerson(tx, { id, name: 'Operator', language: 'fa', createdAt });
      await insertIdentity(tx, { id: makeId('idn', now, randomBytes), personId: id, ...OPERATOR_IDENTITY, createdAt });
      await tx.query("insert into staff (person_id, role, created_at) values ($1, 'owner', $2)", [id, createdAt]);
      await tx.query(
        `insert into membership (account_id, person_id, role, created_at)
         select 'operator', $1, 'owner', $2 where exists (select 1 from account where id = 'operator')
         on conflict do nothing`,
        [id, createdAt],
      );
      await this.#changed(tx, 'startup', 'staff.add', id, { role: 'owner' });
    });
    return selectPerson(db, id);
  }
}
