/**
 * The members of accounts with their roles, and invitations. Each change is one transaction with its audit log entry.
 */

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
import type { Invitation, MemberRow, Membership } from './member-rows.ts';
import * as rows from './member-rows.ts';
import { selectIdentities } from './persons.ts';
import { peopleReasons } from './reasons.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';

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

  ofPerson(personId: string): Promise<Membership[]> {
    return rows.selectMemberships(this.#options.db, personId);
  }

  /** The memberships of all these people, with one query. */
  ofPersons(personIds: readonly string[]): Promise<Membership[]> {
    return rows.selectMembershipsOfAll(this.#options.db, personIds);
  }

  async of(accountId: string): Promise<MemberRow[]> {
    const { db } = this.#options;
    const members = await rows.MEMBERS_OF_ACCOUNT.rows(db, [accountId]);
    const identities = await selectIdentities(
      db,
      members.map(({ personId }) => personId),
    );
    return members.map((member) => ({
      ...member,
      contact: identities.find((one) => one.personId === member.personId)?.value ?? null,
    }));
  }

  /** True when a member who is not staff belongs to the account. */
  async hasCustomers(accountId: string): Promise<boolean> {
    return (await rows.CUSTOMER_OF_ACCOUNT.first(this.#options.db, [accountId])) !== undefined;
  }

  /** A person who is a member already keeps their role. */
  async join(tx: Queryable, accountId: string, personId: string, role: MemberRole): Promise<void> {
    const now = new Date(this.#options.clock.now());
    if (!(await rows.INSERT_MEMBER.first(tx, [accountId, personId, role, now]))) return;
    await this.#record(tx, `person:${personId}`, 'member.join', personId, { account_id: accountId, role });
  }

  changeRole(accountId: string, personId: string, role: GrantedRole, actor: string): Promise<void> {
    return this.#change(accountId, personId, async (tx, before) => {
      await rows.UPDATE_MEMBER_ROLE.run(tx, [accountId, personId, role]);
      await this.#record(tx, actor, 'member.role', personId, {
        account_id: accountId,
        before: { role: before },
        after: { role },
      });
    });
  }

  /** Removes a member, who may be the caller. The owner cannot leave before another member is the owner. */
  remove(accountId: string, personId: string, actor: string): Promise<void> {
    return this.#change(accountId, personId, async (tx) => {
      await rows.DELETE_MEMBER.run(tx, [accountId, personId]);
      await this.#record(tx, actor, 'member.remove', personId, { account_id: accountId });
    });
  }

  transferOwnership(accountId: string, from: string, to: string, actor: string): Promise<void> {
    return this.#options.db.transaction(async (tx) => {
      if (from === to || !(await roleIn(tx, accountId, to))) throw new GatewayError('not_found');
      // The ownership was transferred meanwhile.
      if (!(await rows.GIVE_UP_OWNERSHIP.first(tx, [accountId, from]))) throw new GatewayError('forbidden');
      await rows.MAKE_OWNER.run(tx, [accountId, to]);
      await this.#record(tx, actor, 'account.ownership', accountId, { account_id: accountId, from, to });
    });
  }

  openInvitations(accountId: string): Promise<Invitation[]> {
    return this.#invitations('account', accountId);
  }

  invitationsTo(contacts: readonly string[]): Promise<Invitation[]> {
    return this.#invitations('contacts', contacts);
  }

  async findInvitation(secret: string): Promise<Invitation> {
    const [found] = await this.#invitations('digest', digestOfSecret(secret));
    if (!found) throw new GatewayError('not_found');
    return found;
  }

  /** A newer invitation of the same contact replaces the older one. */
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
      // Invitations of an account wait for each other: of many made at once, each counts the ones before it.
      await lockUntilCommit(tx, `invitations of ${accountId}`);
      if (await rows.MEMBER_WITH_CONTACT.first(tx, [accountId, value]))
        throw new GatewayError('conflict', {
          param: 'to',
          reason: peopleReasons.memberAlready,
        });
      await rows.WITHDRAW_INVITATIONS_TO.run(tx, [accountId, value, new Date(now)]);
      const open = await rows.COUNT_OPEN_INVITATIONS.only(tx, [accountId, new Date(now)]);
      if (open.count >= BigInt(MAX_OPEN_INVITATIONS))
        throw new GatewayError('conflict', {
          reason: peopleReasons.tooManyInvitations,
        });
      await rows.INSERT_INVITATION.run(tx, [
        id,
        accountId,
        value,
        role,
        digestOfSecret(secret),
        by.name,
        new Date(now),
        new Date(now + INVITATION_LIFETIME_MS),
      ]);
      const detail = { account_id: accountId, to: maskContact(value), role };
      await this.#record(tx, by.actor, 'member.invite', id, detail);
    });
    const [invitation] = await this.#invitations('id', id);
    if (!invitation) throw new GatewayError('not_found');
    return { invitation, secret };
  }

  /** Only the owner of the invited number or address may accept. */
  async accept(invitation: Invitation, personId: string, tx: Queryable): Promise<void> {
    const owned = await selectIdentities(tx, [personId]);
    if (!owned.some(({ value }) => value === invitation.contact))
      throw new GatewayError('conflict', {
        reason: peopleReasons.invitationOfAnother(maskContact(invitation.contact)),
      });
    const taken = await rows.TAKE_INVITATION.first(tx, [invitation.id, new Date(this.#options.clock.now())]);
    if (!taken) throw new GatewayError('not_found');
    await this.join(tx, invitation.accountId, personId, invitation.role);
  }

  async withdraw(accountId: string, id: string, actor: string): Promise<void> {
    const { db, clock } = this.#options;
    await db.transaction(async (tx) => {
      const ended = await rows.WITHDRAW_INVITATION.first(tx, [accountId, id, new Date(clock.now())]);
      if (!ended) throw new GatewayError('not_found');
      await this.#record(tx, actor, 'member.uninvite', id, { account_id: accountId });
    });
  }

  /** Called when an account is closed. */
  async withdrawAllWithin(tx: Queryable, accountId: string): Promise<void> {
    await rows.WITHDRAW_ALL_INVITATIONS.run(tx, [accountId, new Date(this.#options.clock.now())]);
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

  #invitations(by: Parameters<typeof rows.OPEN_INVITATIONS>[0], value: unknown): Promise<Invitation[]> {
    const { db, clock } = this.#options;
    return rows.OPEN_INVITATIONS(by).rows(db, [new Date(clock.now()), value]);
  }
}

async function roleIn(tx: Queryable, accountId: string, personId: string): Promise<MemberRole | undefined> {
  return (await rows.LOCKED_ROLE.first(tx, [accountId, personId]))?.role;
}
