export { type AccountPerson, selectAccountPeople } from './account-people.ts';
export type { AttemptLimit } from './attempts.ts';
export type { CodeLimits } from './code-limits.ts';
export { CODE_LIFETIME_MS } from './codes.ts';
export { type Contact, maskContact, maskContactsIn, parseContact } from './contacts.ts';
export { keyMakerOf, namesOfMakers } from './key-makers.ts';
export { KNOWN_NETWORK_MS } from './known-networks.ts';
export { MANAGEMENT_PREFIX, type ManagementKey } from './management-keys.ts';
export type {
  Invitation,
  MemberRow,
} from './members.ts';
export type { Membership } from './membership-row.ts';
export { invitationMessage, trialMessage, type WayInChange } from './messages-to-people.ts';
export { ENVIRONMENT_TOKEN, OPERATOR_TOKEN_PREFIX, type OperatorToken } from './operator-tokens.ts';
export type { Passkey, Site } from './passkeys.ts';
export type { PasswordWork } from './passwords.ts';
export { createPeople, type LivePeopleSettings, type People, type PeopleOptions } from './people.ts';
export { type ListedPerson, PersonList, type PersonListFilter } from './person-list.ts';
export {
  type ContactIdentity,
  type Identity,
  isContact,
  type Person,
  selectIdentities,
  selectPerson,
  updatePerson,
} from './persons.ts';
export { isProofFresh, type ProofInput } from './proofs.ts';
export { type FoundSession, PROOF_LIFETIME_MS, SESSION_LIFETIME_MS, type Session } from './sessions.ts';
export type { Entry, SignInClient } from './sign-in.ts';
export type { StaffMember } from './staff.ts';
