/**
 * What support does to the people and the keys of one account. A person or key of another account is answered as not
 * found.
 */
import * as routes from '@dargah/api/admin/desk.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { AccountService } from '../../accounts/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { type ApiKey, type KeyService, noSuch } from '../../keys/index.ts';
import type { Notices } from '../../notices/index.ts';
import {
  type AccountPerson,
  type Identity,
  invitationMessage,
  isContact,
  type People,
  parseContact,
  selectAccountPeople,
  selectIdentities,
  updatePerson,
} from '../../people/index.ts';
import type { RecordChange } from '../../platform/audit-log.ts';
import { invitationOrders } from '../guessing.ts';
import type { PublicSite } from '../public-site.ts';
import type { StaffPrincipal } from '../routes/guards.ts';
import type { Register } from '../routes/register.ts';

export interface DeskActServices {
  accounts: AccountService;
  keys: KeyService;
  people: People;
  notices: Pick<Notices, 'raise'>;
  recordPerson: RecordChange;
  recordKey: RecordChange;
  site: PublicSite;
}

type AccountPeople = ResultOf<typeof routes.listAccountMembers>;

export function deskActs(register: Register, services: DeskActServices): void {
  const { accounts, people, keys } = services;
  register(routes.listAccountMembers, async ({ params }) => {
    const { id } = await accounts.get(params.id);
    return peopleView(people, id);
  });
  register(routes.actOnMember, async ({ params, body, actor, who }) => {
    const { id } = await accounts.get(params.id);
    const person = (await peopleOf(people, id)).find(({ personId }) => personId === params.person);
    if (!person) throw new GatewayError('not_found');
    refuseColleague(person, who);
    await actOnPerson(services, person, id, { act: body.act, reason: body.reason.trim(), actor });
    return peopleView(people, id);
  });
  register(routes.inviteAgain, async ({ params, actor, language }) => {
    const { id, name: accountName } = await accounts.get(params.id);
    const invited = (await people.members.openInvitations(id)).find((one) => one.id === params.invitation);
    if (!invited) throw new GatewayError('not_found');
    const contact = parseContact(invited.contact);
    await people.attempts.count([...invitationOrders(contact.value, id, actor), people.volume.invitations()]);
    // Sent in the name of the original inviter, whom the recipient knows, not of the member of staff who sent it again.
    const { invitedBy } = invited;
    const { secret } = await people.members.invite(id, contact, invited.role, { actor, name: invitedBy });
    const link = `${services.site().address}/console#invitation=${secret}`;
    people.messenger.send(
      invitationMessage(contact, { accountName, invitedBy, link, brand: people.brand() }, language),
    );
    return peopleView(people, id);
  });
  register(routes.actOnAccountKey, async ({ params, body, actor }) => {
    const key = await keys.get(params.key);
    if (key.accountId !== params.id || key.purpose !== 'api') noSuch('key', params.key);
    const reason = body.reason.trim();
    if (body.act === 'ask_rotation') await askRotation(services, key, reason, actor);
    else if (body.act === 'revoke') await keys.revoke(key.id, actor, reason);
    else await keys.pause(key.id, body.act === 'pause', actor, reason);
    return { id: key.id, done: true };
  });
}

/** Only an owner acts on staff, and nobody on themselves. */
function refuseColleague({ isStaff, personId }: AccountPerson, who: StaffPrincipal): void {
  if (isStaff && who.role !== 'owner') throw new GatewayError('forbidden');
  if (personId === who.personId) throw new GatewayError('conflict');
}

const ACTS = { block: 'person.block', unblock: 'person.unblock', sign_out: 'person.sign_out' } as const;

async function actOnPerson(
  { people, recordPerson }: DeskActServices,
  { personId }: AccountPerson,
  accountId: string,
  { act, reason, actor }: { act: keyof typeof ACTS; reason: string; actor: string },
): Promise<void> {
  const { db, sessions, clock } = people;
  await db.transaction(async (tx) => {
    if (act !== 'sign_out')
      await updatePerson(tx, personId, { blockedAt: act === 'block' ? new Date(clock.now()) : null });
    if (act !== 'unblock') await sessions.endAll(personId, null, tx);
    await recordPerson(tx, actor, ACTS[act], personId, { account_id: accountId, reason });
  });
}

/** The customer makes the new key text; staff never see one. */
function askRotation(
  { people: { db, clock }, notices, recordKey }: DeskActServices,
  { id, accountId, name, revokedAt }: ApiKey,
  reason: string,
  actor: string,
): Promise<void> {
  if (revokedAt !== null) throw new GatewayError('conflict');
  const occasion = `${id}:${clock.now()}`;
  return db.transaction(async (tx) => {
    await recordKey(tx, actor, 'key.ask_rotation', id, { account_id: accountId, reason });
    const data = { key: id, name, reason };
    await notices.raise({ accountId, event: 'key.rotation_asked', occasion, data, link: `/console/keys/${id}` }, tx);
  });
}

function peopleOf({ db, clock }: People, accountId: string): Promise<AccountPerson[]> {
  return selectAccountPeople(db, accountId, new Date(clock.now()));
}

async function peopleView(people: People, accountId: string): Promise<AccountPeople> {
  const members = await peopleOf(people, accountId);
  const ids = members.map(({ personId }) => personId);
  const identities = await selectIdentities(people.db, ids);
  return {
    object: 'account_people',
    members: members.map((member) => memberView(member, identities)),
    invitations: (await people.members.openInvitations(accountId)).map((invited) => ({
      id: invited.id,
      to: invited.contact,
      role: invited.role,
      invited_by: invited.invitedBy,
      created_at: invited.createdAt.toISOString(),
      expires_at: invited.expiresAt.toISOString(),
    })),
  };
}

function memberView(person: AccountPerson, identities: readonly Identity[]): AccountPeople['members'][number] {
  const own = identities.filter((one) => one.personId === person.personId).filter(isContact);
  return {
    object: 'account_member',
    id: person.personId,
    name: person.name,
    role: person.role,
    contacts: own.map(({ value }) => value),
    second_factor: person.secondFactor,
    blocked: person.blockedAt !== null,
    staff: person.isStaff,
    sessions: person.sessions,
    last_seen_at: person.lastSeenAt?.toISOString() ?? null,
    joined_at: person.joinedAt.toISOString(),
  };
}
