/** `/api/console/members` and `/api/console/invitations`. */

import { GatewayError } from '../../core/errors.ts';
import {
  type Invitation,
  invitationMessage,
  type MemberRow,
  maskContact,
  type People,
  parseContact,
  selectPerson,
} from '../../people/index.ts';
import { invitationOrders } from '../guessing.ts';
import { page } from '../openapi/building-blocks.ts';
import type { PublicSite } from '../public-site.ts';
import type { AccountPrincipal } from '../routes/guards.ts';
import type { Register } from '../routes/register.ts';
import {
  changeMember,
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  withdrawInvitation,
} from './routes/members.ts';

export function memberRoutes(register: Register, { people, site }: { people: People; site: PublicSite }): void {
  const { members } = people;
  register(listMembers, async ({ who }) =>
    page((await members.of(who.accountId)).map((member) => memberView(member, who))),
  );
  register(changeMember, async ({ who, params, body, actor }) => {
    await members.changeRole(who.accountId, params.id, body.role as never, actor);
    const member = (await members.of(who.accountId)).find(({ personId }) => personId === params.id);
    if (!member) throw new GatewayError('not_found');
    return memberView(member, who);
  });
  register(removeMember, async ({ who, params, actor }) => {
    await members.remove(who.accountId, params.id, actor);
    return { id: params.id, deleted: true };
  });
  register(listInvitations, async ({ who }) =>
    page((await members.openInvitations(who.accountId)).map(invitationView)),
  );
  register(inviteMember, async ({ who, body, actor, language }) => {
    const contact = parseContact(body.to);
    await people.attempts.count([
      ...invitationOrders(contact.value, who.accountId, actor),
      people.volume.invitations(),
    ]);
    const name = who.personId === null ? who.actor : (await selectPerson(people.db, who.personId)).name;
    const { invitation, secret } = await members.invite(who.accountId, contact, body.role as never, { actor, name });
    const link = `${site().address}/console#invitation=${secret}`;
    people.messenger.send(
      invitationMessage(
        contact,
        { accountName: invitation.accountName, invitedBy: name, link, brand: people.brand() },
        language,
      ),
    );
    return { ...invitationView(invitation), invitation: secret };
  });
  register(withdrawInvitation, async ({ who, params, actor }) => {
    await members.withdraw(who.accountId, params.id, actor);
    return { id: params.id, deleted: true };
  });
}

function memberView({ personId, name, role, createdAt, contact }: MemberRow, who: AccountPrincipal) {
  const seesAll = who.role === 'owner' || who.role === 'admin' || who.personId === personId;
  return {
    object: 'member',
    id: personId,
    name,
    role,
    contact: contact === null || seesAll ? contact : maskContact(contact),
    you: who.personId === personId,
    joined_at: createdAt.toISOString(),
  };
}

function invitationView({ id, contact, role, invitedBy, createdAt, expiresAt }: Invitation) {
  return {
    object: 'invitation',
    id,
    to: contact,
    role,
    invited_by: invitedBy,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
