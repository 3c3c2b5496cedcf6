export { type AttemptLimit, Attempts, DAY, HOUR } from './attempts.ts';
export { CODE_DIGITS, CODE_LIMITS, type CodeLimits, Codes } from './codes.ts';
export { type Contact, latinDigits, mailboxOf, maskContact, networkOf, parseContact } from './contacts.ts';
export { MANAGEMENT_PREFIX, type ManagementKey, ManagementKeys } from './management-keys.ts';
export {
  type GrantedRole,
  type Invitation,
  type MemberRow,
  Members,
  type Membership,
  type MembershipRole,
} from './members.ts';
export { invitationMessage } from './messages-to-people.ts';
export { type Passkey, Passkeys, type Site } from './passkeys.ts';
export { Passwords } from './passwords.ts';
export { createPeople, type LivePeopleSettings, type People, type PeopleOptions } from './people.ts';
export {
  findByContact,
  type Identity,
  insertIdentity,
  type Person,
  removeIdentity,
  searchPersons,
  selectIdentities,
  selectPerson,
  updatePerson,
} from './persons.ts';
export { SecondFactor } from './second-factor.ts';
export { type Session, Sessions } from './sessions.ts';
export { type Comer, type Entry, OPERATOR, SignIn } from './sign-in.ts';
export { StaffList, type StaffMember, type StaffMemberRole } from './staff.ts';
