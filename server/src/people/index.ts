export type { AttemptLimit } from './attempts.ts';
export type { CodeLimits } from './code-limits.ts';
export { CODE_LIFETIME_MS } from './codes.ts';
export { type Contact, maskContact, maskContactsIn, parseContact } from './contacts.ts';
export { keyMakerOf, namesOfMakers } from './key-makers.ts';
export { KNOWN_NETWORK_MS } from './known-networks.ts';
export { MANAGEMENT_PREFIX } from './management-keys.ts';
export type { Invitation, MemberRow, Membership, StaffMember } from './member-rows.ts';
export { invitationMessage, trialMessage, type WayInChange } from './messages-to-people.ts';
export { ENVIRONMENT_TOKEN, OPERATOR_TOKEN_PREFIX } from './operator-tokens.ts';
export type { Site } from './passkeys.ts';
export type { PasswordWork } from './passwords.ts';
export { createPeople, type LivePeopleSettings, type People, type PeopleOptions } from './people.ts';
export { PersonList } from './person-list.ts';
export type { ListedPerson, PersonListFilter } from './person-list-rows.ts';
export {
  type AccountPerson,
  type Identity,
  languageOfContact,
  type Person,
  selectAccountPeople,
  selectPayingContacts,
  updatePerson,
} from './person-rows.ts';
export { type ContactIdentity, isContact, selectIdentities, selectPerson } from './persons.ts';
export { isProofFresh, type ProofInput } from './proofs.ts';
export { type FoundSession, PROOF_LIFETIME_MS, SESSION_LIFETIME_MS, type Session } from './sessions.ts';
export type { Entry, SignInClient } from './sign-in.ts';
export type { Passkey } from './sign-in-rows.ts';
export type { ManagementKey, OperatorToken } from './token-rows.ts';
