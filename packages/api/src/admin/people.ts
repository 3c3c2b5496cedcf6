/**
 * People as staff see them, described: staff and their roles, persons and their sessions, the sandbox messenger's
 * outbox, viewing as a customer.
 */

import { STAFF_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { STAFF_READ, staff, VIEW_AS } from '../access.ts';
import {
  Deleted,
  inputObject,
  listOf,
  nullable,
  PAGE_QUERY,
  pageOf,
  responseObject,
  Time,
} from '../building-blocks.ts';
import { Done, Name, OwnAccount, SessionSchema } from '../console/console-schemas.ts';
import { SignedIn } from '../console/sign-in.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'People';
const OWNER = staff('owner');
const CARE = staff('owner', 'support');
const Role = Type.Enum([...STAFF_ROLES], { title: 'StaffRole' });

export const staffSignIn = describeRoute({
  method: 'POST',
  path: '/api/admin/sign-in',
  operationId: 'staffSignIn',
  tag,
  access: { guard: 'open' },
  summary: { fa: 'ورود کارکنان', en: 'Sign in as staff' },
  description: "Without `to`: the operator's own password, as the first start printed it.",
  body: inputObject(
    {
      to: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
      password: Type.String({ minLength: 1, maxLength: 256 }),
    },
    'StaffSignIn',
  ),
  result: SignedIn,
  errors: ['wrong_credentials', 'rate_limited'],
});

const StaffSchema = responseObject(
  {
    object: Type.Literal('staff'),
    id: Type.String({ description: 'The person.' }),
    name: Type.String(),
    role: Role,
    contacts: Type.Array(Type.String()),
    second_factor: Type.Boolean(),
    created_at: Time,
  },
  'Staff',
);

export const listStaff = describeRoute({
  method: 'GET',
  path: '/api/admin/staff',
  operationId: 'listStaff',
  tag,
  access: OWNER,
  summary: { fa: 'کارکنان', en: 'Staff' },
  result: pageOf(StaffSchema),
});

export const addStaff = describeRoute({
  method: 'POST',
  path: '/api/admin/staff',
  operationId: 'addStaff',
  tag,
  access: { ...OWNER, freshProof: true },
  summary: { fa: 'افزودن همکار', en: 'Add somebody to staff, by number or address' },
  body: inputObject(
    { to: Type.String({ minLength: 3, maxLength: 254 }), name: Type.Optional(Name), role: Role },
    'NewStaff',
  ),
  status: 201,
  result: StaffSchema,
  errors: ['conflict'],
  example: { to: 'sara@example.com', role: 'support' },
});

export const changeStaff = describeRoute({
  method: 'PATCH',
  path: '/api/admin/staff/:id',
  operationId: 'changeStaff',
  tag,
  access: { ...OWNER, freshProof: true },
  summary: { fa: 'تغییر نقش همکار', en: 'Change a role' },
  body: inputObject({ role: Role }, 'StaffChange'),
  result: StaffSchema,
  errors: ['not_found', 'conflict'],
});

export const removeStaff = describeRoute({
  method: 'DELETE',
  path: '/api/admin/staff/:id',
  operationId: 'removeStaff',
  tag,
  access: OWNER,
  summary: { fa: 'حذف همکار', en: 'Remove somebody from staff; the last owner stays' },
  result: Deleted,
  errors: ['not_found', 'conflict'],
});

const FoundPerson = responseObject(
  {
    object: Type.Literal('person'),
    id: Type.String(),
    name: Type.String(),
    contacts: Type.Array(Type.String()),
    accounts: Type.Array(OwnAccount),
    blocked: Type.Boolean(),
    created_at: Time,
  },
  'FoundPerson',
);

const ListedPerson = responseObject(
  { ...FoundPerson.properties, staff_role: nullable(Role), seen_at: nullable(Time) },
  'ListedPerson',
);

export const listPeople = describeRoute({
  method: 'GET',
  path: '/api/admin/people',
  operationId: 'listPeople',
  tag,
  access: CARE,
  summary: { fa: 'جست‌وجوی افراد', en: 'Find people by number, address, name or id' },
  query: inputObject({
    q: Type.Optional(
      Type.String({
        maxLength: 254,
        description: 'The beginning of a word of the name, of a number, an address or an id.',
      }),
    ),
    state: Type.Optional(Type.Enum(['active', 'blocked'])),
    role: Type.Optional(
      Type.Enum([...STAFF_ROLES, 'customer'], { description: 'Staff of this role, or people who do not work here.' }),
    ),
    seen_from: Type.Optional(Type.String({ maxLength: 40, description: 'Last seen; RFC 3339 or a day.' })),
    seen_to: Type.Optional(Type.String({ maxLength: 40 })),
    ...PAGE_QUERY,
  }),
  result: listOf(ListedPerson),
});

export const changePerson = describeRoute({
  method: 'PATCH',
  path: '/api/admin/people/:id',
  operationId: 'changePerson',
  tag,
  access: CARE,
  summary: { fa: 'مسدود یا آزاد کردن فرد', en: 'Block a person or let them in again; blocking ends all sessions' },
  body: inputObject({ blocked: Type.Boolean() }, 'PersonChange'),
  result: FoundPerson,
  errors: ['not_found', 'conflict'],
});

export const listPersonSessions = describeRoute({
  method: 'GET',
  path: '/api/admin/people/:id/sessions',
  operationId: 'listPersonSessions',
  tag,
  access: CARE,
  summary: { fa: 'نشست‌های فرد', en: "A person's sessions" },
  result: pageOf(SessionSchema),
  errors: ['not_found'],
});

export const endPersonSessions = describeRoute({
  method: 'DELETE',
  path: '/api/admin/people/:id/sessions',
  operationId: 'endPersonSessions',
  tag,
  access: CARE,
  summary: { fa: 'پایان همهٔ نشست‌های فرد', en: "End all of a person's sessions" },
  result: responseObject({ ended: Type.Integer() }, 'EndedSessions'),
  errors: ['not_found'],
});

export const viewAs = describeRoute({
  method: 'POST',
  path: '/api/admin/accounts/:id/view-as',
  operationId: 'viewAs',
  tag,
  access: VIEW_AS,
  summary: { fa: 'مشاهده از دید مشتری', en: 'See the console of an account, reading only, for an hour' },
  body: inputObject({ reason: Type.String({ minLength: 3, maxLength: 500 }) }, 'ViewAsReason'),
  result: responseObject({ account_id: Type.String(), until: Time }, 'ViewingAs'),
  errors: ['not_found', 'forbidden'],
});

export const endViewAs = describeRoute({
  method: 'DELETE',
  path: '/api/admin/view-as',
  operationId: 'endViewAs',
  tag,
  access: STAFF_READ,
  summary: { fa: 'پایان مشاهده از دید مشتری', en: 'Stop seeing the console of an account' },
  result: Done,
});
