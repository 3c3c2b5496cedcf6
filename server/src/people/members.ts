/** Who belongs to which account, in which role; invitations. Each change is one transaction with its audit log entry. */

import type { AuditLogAct } from '@dargah/core/admin-acts.ts';
import type { GrantedRole, MemberRole } from '@dargah/core/roles.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import { tellChange } from '../platform/changes.ts';
import { type Database, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import { type Contact, maskContact } from './contacts.ts';
import { MEMBERSHIP, type Membership, type MembershipRow, toMembership } from './membership-row.ts';
import { selectIdentities } from './persons.ts';
import { peopleReasons } from './reasons.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';

export interface MemberRow {
  personId: string;
  name: string;
  role: MemberRole;
  createdAt: Date;
  contact: string | null;
}

export interface Invitation {
  id: string;
  accountId: string;
  accountName: string;
  contact: string;
  role: GrantedRole;
  invitedBy: string;
  createdAt: Date;
  expiresAt: Date;
}

const INVITATION = `i.id, i.account_id as "accountId", a.name as "accountName", i.contact, i.role,
  i.invited_by as "invitedBy", i.created_at as "createdAt", i.expires_at as "expiresAt"`;
const INVITATION_LIFETIME_MS = 7 * DAY_MS;
const MAX_OPEN_INVITATIONS = 50;

export interface MembersOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
}

type OfAccount = JsonObject & { account_id: string };

export class Members {
  readonly #options: MembersOptions;
  readonly #changed: RecordChange;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#changed = createChangeRecorder(options, 'member');
  }

  async ofPerson(personId: string): Promise<Membership[]> {
    const rows = await this.#options.db.query<MembershipRow>(
      `select ${MEMBERSHIP} from membership m join account a on a.id = m.account_id
        where m.person_id = $1 order by m.created_at, m.account_id`,
      [personId],
      { name: 'memberships-of-person' },
    );
    return rows.map(toMembership);
  }

  /** Of all these people, in one question. */
  async ofPersons(personIds: readonly string[]): Promise<Membership[]> {
    const rows = await this.#options.db.query<MembershipRow>(
      `select ${MEMBERSHIP} from membership m join account a on a.id = m.account_id
        where m.person_id = any($1::text[]) order by m.created_at, m.account_id`,
      [personIds],
    );
    return rows.map(toMembership);
  }

  async of(accountId: string): Promise<MemberRow[]> {
    const { db } = this.#options;
    const rows = await db.query<Omit<MemberRow, 'contact'>>(
      `select m.person_id as "personId", p.name, m.role, m.created_at as "createdAt"
         from membership m join person p on p.id = m.person_id where m.account_id = $1 order by m.created_at, m.person_id`,
      [accountId],
    );
    const identities = await selectIdentities(
      db,
      rows.map(({ personId }) => personId),
    );
    return rows.map((row) => ({
      ...row,
      contact: identities.find((one) => one.personId === row.personId)?.value ?? null,
    }));
  }

  /** Somebody who does not work here belongs to the account. */
  async hasCustomers(accountId: string): Promise<boolean> {
    const found = await this.#options.db.query(
      `select 1 from membership m where m.account_id = $1
          and not exists (select 1 from staff s where s.person_id = m.person_id) limit 1`,
      [accountId],
    );
    return found.length > 0;
  }

  /** Whoever is a member already keeps their role. */
  async join(tx: Queryable, accountId: string, personId: string, role: MemberRole): Promise<void> {
    const joined = await tx.query(
      `insert into membership (account_id, person_id, role, created_at) values ($1, $2, $3, $4)
       on conflict (account_id, person_id) do nothing returning person_id`,
      [accountId, personId, role, new Date(this.#options.clock.now())],
    );
    if (joined.length === 0) return;
    await this.#record(tx, `person:${personId}`, 'member.join', personId, { account_id: accountId, role });
  }

  changeRole(accountId: string, personId: string, role: GrantedRole, actor: string): Promise<void> {
    return this.#change(accountId, personId, async (tx, before) => {
      await tx.query('update membership set role = $3 where account_id = $1 and person_id = $2', [
        accountId,
        personId,
        role,
      ]);
      await this.#record(tx, actor, 'member.role', personId, {
        account_id: accountId,
        before: { role: before },
        after: { role },
      });
    });
  }

  /** Removes a member, who may be the caller. The owner cannot leave before somebody else is the owner. */
  remove(accountId: string, personId: string, actor: string): Promise<void> {
    return this.#change(accountId, personId, async (tx) => {
      await tx.query('delete from membership where account_id = $1 and person_id = $2', [accountId, personId]);
      await this.#record(tx, actor, 'member.remove', personId, { account_id: accountId });
    });
  }

  transferOwnership(accountId: string, from: string, to: string, actor: string): Promise<void> {
    return this.#options.db.transaction(async (tx) => {
      if (from === to || !(await roleIn(tx, accountId, to))) throw new GatewayError('not_found');
      const given = await tx.query(
        "update membership set role = 'admin' where account_id = $1 and person_id = $2 and role = 'owner' returning role",
        [accountId, from],
      );
      // The ownership was given to somebody else in the meantime.
      if (given.length === 0) throw new GatewayError('forbidden');
      await tx.query("update membership set role = 'owner' where account_id = $1 and person_id = $2", [accountId, to]);
      await this.#record(tx, actor, 'account.ownership', accountId, { account_id: accountId, from, to });
    });
  }

  openInvitations(accountId: string): Promise<Invitation[]> {
    return this.#invitations('i.account_id = $2', [accountId]);
  }

  invitationsTo(contacts: readonly string[]): Promise<Invitation[]> {
    return this.#invitations('i.contact = any($2::text[])', [contacts]);
  }

  async findInvitation(secret: string): Promise<Invitation> {
    const [found] = await this.#invitations('i.digest = $2', [digestOfSecret(secret)]);
    if (!found) throw new GatewayError('not_found');
    return found;
  }

  /** A newer invitation of the same contact takes the place of the older. */
  async invite(
    accountId: string,
    { value }: Contact,
    role: GrantedRole,
    by: { actor: string; name: string },
  ): Promise<{ invitation: Invitation; secret: string }> {
    const { db, clock, randomBytes } = this.#options;
    const now = clock.now();
    const secret = makeSecret(randomBytes);
    const id = makeId('inv', now, randomBytes);
    await db.transaction(async (tx) => {
      // Invitations of an account take turns: of many made at once, each counts the ones before it.
      await lockUntilCommit(tx, `invitations of ${accountId}`);
      const members = await tx.query(
        `select 1 from membership m join identity i on i.person_id = m.person_id where m.account_id = $1 and i.value = $2`,
        [accountId, value],
      );
      if (members.length > 0)
        throw new GatewayError('conflict', {
          param: 'to',
          reason: peopleReasons.memberAlready,
        });
      await tx.query(
        'update invitation set ended_at = $3 where account_id = $1 and contact = $2 and ended_at is null',
        [accountId, value, new Date(now)],
      );
      const [open] = await tx.query<{ count: bigint }>(
        'select count(*) as count from invitation where account_id = $1 and ended_at is null and expires_at > $2',
        [accountId, new Date(now)],
      );
      if ((open?.count ?? 0n) >= BigInt(MAX_OPEN_INVITATIONS))
        throw new GatewayError('conflict', {
          reason: peopleReasons.tooManyInvitations,
        });
      await tx.query(
        `insert into invitation (id, account_id, contact, role, digest, invited_by, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          id,
          accountId,
          value,
          role,
          digestOfSecret(secret),
          by.name,
          new Date(now),
          new Date(now + INVITATION_LIFETIME_MS),
        ],
      );
      const detail = { account_id: accountId, to: maskContact(value), role };
      await this.#record(tx, by.actor, 'member.invite', id, detail);
    });
    const [invitation] = await this.#invitations('i.id = $2', [id]);
    if (!invitation) throw new GatewayError('not_found');
    return { invitation, secret };
  }

  /** Only whoever owns the number or address that was invited. */
  async accept(invitation: Invitation, personId: string, tx: Queryable): Promise<void> {
    const owned = await selectIdentities(tx, [personId]);
    if (!owned.some(({ value }) => value === invitation.contact))
      throw new GatewayError('conflict', {
        reason: peopleReasons.invitationOfAnother(maskContact(invitation.contact)),
      });
    const taken = await tx.query(
      'update invitation set ended_at = $2 where id = $1 and ended_at is null returning id',
      [invitation.id, new Date(this.#options.clock.now())],
    );
    if (taken.length === 0) throw new GatewayError('not_found');
    await this.join(tx, invitation.accountId, personId, invitation.role);
  }

  async withdraw(accountId: string, id: string, actor: string): Promise<void> {
    const { db, clock } = this.#options;
    await db.transaction(async (tx) => {
      const ended = await tx.query(
        'update invitation set ended_at = $3 where account_id = $1 and id = $2 and ended_at is null returning id',
        [accountId, id, new Date(clock.now())],
      );
      if (ended.length === 0) throw new GatewayError('not_found');
      await this.#record(tx, actor, 'member.uninvite', id, { account_id: accountId });
    });
  }

  /** At the end of an account. */
  async withdrawAllWithin(tx: Queryable, accountId: string): Promise<void> {
    await tx.query('update invitation set ended_at = $2 where account_id = $1 and ended_at is null', [
      accountId,
      new Date(this.#options.clock.now()),
    ]);
  }

  async #record(tx: Queryable, actor: string, act: AuditLogAct, subject: string, detail: OfAccount): Promise<void> {
    await this.#changed(tx, actor, act, subject, detail);
    await tellChange(this.#options.db, tx, detail.account_id, { what: 'members', id: subject });
  }

  #change(accountId: string, personId: string, work: (tx: Queryable, role: string) => Promise<void>): Promise<void> {
    return this.#options.db.transaction(async (tx) => {
      const role = await roleIn(tx, accountId, personId);
      if (!role) throw new GatewayError('not_found');
      if (role === 'owner')
        throw new GatewayError('conflict', {
          reason: peopleReasons.ownerStays,
        });
      await work(tx, role);
    });
  }

  #invitations(where: string, values: readonly unknown[]): Promise<Invitation[]> {
    const { db, clock } = this.#options;
    return db.query<Invitation>(
      `select ${INVITATION} from invitation i join account a on a.id = i.account_id
        where i.ended_at is null and i.expires_at > $1 and a.closed_at is null and ${where}
        order by i.created_at desc limit 200`,
      [new Date(clock.now()), ...values],
    );
  }
}

async function roleIn(tx: Queryable, accountId: string, personId: string): Promise<MemberRole | undefined> {
  const [row] = await tx.query<{ role: MemberRole }>(
    'select role from membership where account_id = $1 and person_id = $2 for update',
    [accountId, personId],
  );
  return row?.role;
}
