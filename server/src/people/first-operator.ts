/** The operator of the first start, who has a password that the terminal showed, and neither number nor address. */
import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { FIRST_PASSWORD_SETTING, REPLACED } from '../platform/operator-token.ts';
import type { KnownNetworks } from './known-networks.ts';
import { FORGET_FIRST_PASSWORD, INSERT_FIRST_OWNER, JOIN_OPERATOR_ACCOUNT } from './member-rows.ts';
import { type Person, updatePerson, updateTotp } from './person-rows.ts';
import { findByContact, insertIdentity, insertPerson, selectPerson } from './persons.ts';
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
  readonly #settingChanged: RecordChange;

  constructor(options: FirstOperatorOptions) {
    this.#options = options;
    this.#changed = createChangeRecorder(options, 'person');
    this.#settingChanged = createChangeRecorder(options, 'setting');
  }

  /** Finds the person, or makes it once. */
  async person(): Promise<Person> {
    const { db } = this.#options;
    const found = await findByContact(db, OPERATOR_IDENTITY);
    if (found) return found;
    return this.#make().catch(async (error: unknown) => {
      // Two people may sign in for the first time at once; the second finds the person that the first has made.
      const made = await findByContact(db, OPERATOR_IDENTITY);
      if (!made) throw error;
      return made;
    });
  }

  /** True while they still have the password that we made. */
  async owesPassword({ id, passwordHash }: Person): Promise<boolean> {
    return passwordHash === null && (await findByContact(this.#options.db, OPERATOR_IDENTITY))?.id === id;
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

  /**
   * Once the operator has a password of their own, the stored first one is deleted: then no replica accepts it any
   * more, not even one of version 0.1.0, which would accept it as a token. The setting stays, because it shows that the
   * first start is over.
   */
  async forgetFirstPassword(tx: Queryable, actor: string): Promise<void> {
    const now = new Date(this.#options.clock.now());
    const gone = await FORGET_FIRST_PASSWORD.first(tx, [FIRST_PASSWORD_SETTING, REPLACED, now]);
    if (gone) await this.#settingChanged(tx, actor, 'setting.set', FIRST_PASSWORD_SETTING, {});
  }

  async #make(): Promise<Person> {
    const { db, clock, randomBytes } = this.#options;
    const now = clock.now();
    const createdAt = new Date(now);
    const id = makeId('per', now, randomBytes);
    await db.transaction(async (tx) => {
      await insertPerson(tx, { id, name: 'Operator', language: 'fa', createdAt });
      await insertIdentity(tx, { id: makeId('idn', now, randomBytes), personId: id, ...OPERATOR_IDENTITY, createdAt });
      await INSERT_FIRST_OWNER.run(tx, [id, createdAt]);
      await JOIN_OPERATOR_ACCOUNT.run(tx, [id, createdAt]);
      await this.#changed(tx, 'startup', 'staff.add', id, { role: 'owner' });
    });
    return selectPerson(db, id);
  }
}
