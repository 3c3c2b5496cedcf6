export { AccountList, type AccountListFilter, type ListedAccount } from './account-list.ts';
export type { Account } from './account-rows.ts';
export { type AccountService, createAccountService } from './accounts.ts';
