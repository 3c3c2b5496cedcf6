/** The members of an account, described. */

import { MEMBER_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { Deleted, inputObject, nullable, pageOf, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { ContactSchema, GrantedRoleSchema, MemberRoleSchema } from './console-schemas.ts';

const tag = 'Members';
const path = '/api/console/members';
const READ = member('members', 'read', ...MEMBER_ROLES);
const WRITE = member('members', 'write', 'owner', 'admin');

const MemberSchema = responseObject(
  {
    object: Type.Literal('member'),
    id: Type.String(),
    name: Type.String(),
    role: MemberRoleSchema,
    contact: nullable(Type.String({ description: 'Partly hidden unless owner or admin.' })),
    you: Type.Boolean(),
    joined_at: Time,
  },
  'Member',
);

const InvitationSchema = responseObject(
  {
    object: Type.Literal('invitation'),
    id: Type.String(),
    to: Type.String(),
    role: MemberRoleSchema,
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
  result: pageOf(MemberSchema),
});

export const changeMember = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'changeMember',
  tag,
  access: WRITE,
  summary: { fa: 'تغییر نقش عضو', en: "Change a member's role" },
  body: inputObject({ role: GrantedRoleSchema }, 'MemberChange'),
  result: MemberSchema,
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
  result: pageOf(InvitationSchema),
});

export const inviteMember = describeRoute({
  method: 'POST',
  path: '/api/console/invitations',
  operationId: 'inviteMember',
  tag,
  access: WRITE,
  summary: { fa: 'دعوت عضو', en: 'Invite a member; the secret is shown once and sent' },
  body: inputObject({ to: ContactSchema, role: GrantedRoleSchema }, 'NewInvitation'),
  status: 201,
  result: responseObject(
    { ...InvitationSchema.properties, invitation: Type.String({ description: 'The secret; also in the message.' }) },
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
