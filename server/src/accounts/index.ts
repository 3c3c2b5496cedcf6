export type { Account } from './account-rows.ts';
export { type AccountService, createAccountService } from './accounts.ts';
