/** The operator of the first start: has a password that the terminal showed, and neither number nor address. */
import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { FIRST_PASSWORD_SETTING, REPLACED } from '../platform/operator-token.ts';
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
  readonly #settingChanged: RecordChange;

  constructor(options: FirstOperatorOptions) {
    this.#options = options;
    this.#changed = createChangeRecorder(options, 'person');
    this.#settingChanged = createChangeRecorder(options, 'setting');
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

  /** They still have the password that we made. */
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
   * Where the operator has a password of their own, what is kept of the first one goes: then no replica takes it any more, not even
   * one of version 0.1.0, which would take it as a token. The setting stays, since it tells that the first start is over.
   */
  async forgetFirstPassword(tx: Queryable, actor: string): Promise<void> {
    const gone = await tx.query(
      `update setting set value = to_jsonb($2::text), updated_at = $3
        where key = $1 and value <> to_jsonb($2::text) and exists (
          select from identity i join person p on p.id = i.person_id where i.kind = 'name' and p.password_hash is not null)
        returning key`,
      [FIRST_PASSWORD_SETTING, REPLACED, new Date(this.#options.clock.now())],
    );
    if (gone.length > 0) await this.#settingChanged(tx, actor, 'setting.set', FIRST_PASSWORD_SETTING, {});
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
