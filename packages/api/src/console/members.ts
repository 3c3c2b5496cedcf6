/** Who belongs to the account, described. */

import { MEMBER_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { closed, Deleted, nullable, pageOf, shown, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { ContactShape, GrantedRoleShape, MemberRoleShape } from './shapes.ts';

const tag = 'Members';
const path = '/api/console/members';
const READ = member('members', 'read', ...MEMBER_ROLES);
const WRITE = member('members', 'write', 'owner', 'admin');

const MemberShape = shown(
  {
    object: Type.Literal('member'),
    id: Type.String(),
    name: Type.String(),
    role: MemberRoleShape,
    contact: nullable(Type.String({ description: 'Partly hidden unless owner or admin.' })),
    you: Type.Boolean(),
    joined_at: Time,
  },
  'Member',
);

const InvitationShape = shown(
  {
    object: Type.Literal('invitation'),
    id: Type.String(),
    to: Type.String(),
    role: MemberRoleShape,
    invited_by: Type.String(),
    created_at: Time,
    expires_at: Time,
  },
  'Invitation',
);

export const listMembers = describeRoute({
  method: 'GET',
  path,
  operationId: 'listMembers',
  tag,
  access: READ,
  summary: { fa: 'اعضا', en: 'Members' },
  result: pageOf(MemberShape),
});

export const changeMember = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'changeMember',
  tag,
  access: WRITE,
  summary: { fa: 'تغییر نقش عضو', en: "Change a member's role" },
  body: closed({ role: GrantedRoleShape }, 'MemberChange'),
  result: MemberShape,
  errors: ['not_found', 'conflict'],
  example: { role: 'developer' },
});

export const removeMember = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'removeMember',
  tag,
  access: WRITE,
  summary: { fa: 'حذف عضو', en: 'Remove a member' },
  result: Deleted,
  errors: ['not_found', 'conflict'],
});

export const listInvitations = describeRoute({
  method: 'GET',
  path: '/api/console/invitations',
  operationId: 'listInvitations',
  tag,
  access: member('members', 'read', 'owner', 'admin'),
  summary: { fa: 'دعوت‌های در انتظار', en: 'Open invitations' },
  result: pageOf(InvitationShape),
});

export const inviteMember = describeRoute({
  method: 'POST',
  path: '/api/console/invitations',
  operationId: 'inviteMember',
  tag,
  access: WRITE,
  summary: { fa: 'دعوت عضو', en: 'Invite a member; the secret is shown once and sent' },
  body: closed({ to: ContactShape, role: GrantedRoleShape }, 'NewInvitation'),
  status: 201,
  result: shown(
    { ...InvitationShape.properties, invitation: Type.String({ description: 'The secret; also in the message.' }) },
    'FreshInvitation',
  ),
  errors: ['conflict', 'rate_limited'],
  example: { to: 'sara@example.com', role: 'developer' },
});

export const withdrawInvitation = describeRoute({
  method: 'DELETE',
  path: '/api/console/invitations/:id',
  operationId: 'withdrawInvitation',
  tag,
  access: WRITE,
  summary: { fa: 'لغو دعوت', en: 'Withdraw an invitation' },
  result: Deleted,
  errors: ['not_found'],
});
