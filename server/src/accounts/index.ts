export { AccountList, type AccountListFilter, type ListedAccount } from './account-list.ts';
export type { Account } from './account-rows.ts';
export { type AccountService, createAccountService } from './accounts.ts';
export { type AccountBlocks, createAccountBlocks, MAX_SUPPORT_HOURS } from './blocks.ts';
export { type AccountNote, type AccountNotes, createAccountNotes } from './notes.ts';
export { accountReasons } from './reasons.ts';
