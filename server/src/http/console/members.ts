/** `/api/console/members` and `/api/console/invitations`. */

import { page } from '@dargah/api/building-blocks.ts';
import {
  changeMember,
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  withdrawInvitation,
} from '@dargah/api/console/members.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
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
import type { PublicSite } from '../public-site.ts';
import type { AccountPrincipal } from '../routes/guards.ts';
import type { Register } from '../routes/register.ts';

export function memberRoutes(register: Register, { people, site }: { people: People; site: PublicSite }): void {
  const { members } = people;
  register(listMembers, async ({ who }) =>
    page((await members.of(who.accountId)).map((member) => memberView(member, who))),
  );
  register(changeMember, async ({ who, params, body, actor }) => {
    await members.changeRole(who.accountId, params.id, body.role, actor);
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
    const { invitation, secret } = await members.invite(who.accountId, contact, body.role, { actor, name });
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

function memberView(
  { personId, name, role, createdAt, contact }: MemberRow,
  who: AccountPrincipal,
): ResultOf<typeof changeMember> {
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

function invitationView({
  id,
  contact,
  role,
  invitedBy,
  createdAt,
  expiresAt,
}: Invitation): ResultOf<typeof listInvitations>['data'][number] {
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
