/** The response cache of an account, described. */
import { member } from '../access.ts';
import { describeRoute } from '../describe-route.ts';
import { Done } from './console-schemas.ts';

export const emptyResponseCache = describeRoute({
  method: 'DELETE',
  path: '/api/console/response-cache',
  operationId: 'emptyResponseCache',
  tag: 'Usage',
  access: member('keys', 'write', 'owner', 'admin', 'developer'),
  summary: { fa: 'خالی کردن کش پاسخ', en: 'Empty the response cache of the account' },
  description: 'Also what is being made now is given to no later request. Takes effect on every replica.',
  result: Done,
});
