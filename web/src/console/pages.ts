/**
 * All pages that are not part of the first file, in one file: the second page that somebody opens costs one request,
 * the third none.
 */

export { default as SecurityOnly } from '../security/security-only.tsx';
export { default as EndSessions } from '../sign-in/end-sessions.tsx';
export { default as Alerts } from './alerts/page.tsx';
export { default as Batches } from './batches/page.tsx';
export { default as BlockedPage } from './blocked-page.tsx';
export { default as Keys } from './keys/page.tsx';
export { NewKey } from './keys/secret.tsx';
export { default as Knowledge } from './knowledge/page.tsx';
export { default as Limits } from './limits/page.tsx';
export { default as Members } from './members/page.tsx';
export { default as Requests } from './requests/page.tsx';
export { default as Settings } from './settings/page.tsx';
export { default as Tickets } from './tickets/page.tsx';
export { default as Usage } from './usage/page.tsx';
export { default as Wallet } from './wallet/page.tsx';
