export { AccountList, type ListedAccount } from './account-list.ts';
export type { AccountListFilter } from './account-list-rows.ts';
export { type Account, countKeysAndMembers, selectNames } from './account-rows.ts';
export { type AccountService, createAccountService } from './accounts.ts';
export { type AccountBlocks, createAccountBlocks, MAX_SUPPORT_HOURS } from './blocks.ts';
export type { AccountNote } from './note-rows.ts';
export { type AccountNotes, createAccountNotes } from './notes.ts';
export { accountReasons } from './reasons.ts';
