/** The one live connection of an open console, described. */

import { MEMBER_ROLES } from '../../../core/roles.ts';
import { LiveChangeSchema } from '../../live-schemas.ts';
import { member } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';

export const followAccount = describeRoute({
  method: 'GET',
  path: '/api/console/live',
  operationId: 'followOwnAccount',
  tag: 'Account',
  access: { ...member('account', 'read', ...MEMBER_ROLES), personOnly: true },
  summary: { fa: 'آنچه در حساب تغییر می‌کند، زنده', en: 'What changes in the account, as server-sent events' },
  description:
    'Each event `changed` names a kind of thing that the reader may read and that changed, with its id; what it says is read where it is always read. Whoever may read the log also gets each request that ends as an event `request`, as `followOwnRequests` tells it. An event `beat` comes every quarter of a minute, so that silence means a dead connection. `account` in the address chooses the account, since an EventSource sends no header.',
  result: LiveChangeSchema,
  resultType: 'text/event-stream',
  streams: true,
});
