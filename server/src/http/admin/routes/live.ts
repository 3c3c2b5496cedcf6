/** The one live connection of an open operator console, described. */
import { LiveChangeSchema } from '../../live-schemas.ts';
import { STAFF_READ } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';

export const followService = describeRoute({
  method: 'GET',
  path: '/api/admin/live',
  operationId: 'followService',
  tag: 'Service',
  access: STAFF_READ,
  summary: { fa: 'آنچه در سرویس تغییر می‌کند، زنده', en: 'What changes in the service, as server-sent events' },
  description:
    'Each event `changed` names a kind of thing that the reader may read and that changed, of whichever account, with its id; of wallets and accounts it is the account’s. `usage` says that requests have ended. An event `beat` comes every quarter of a minute, so that silence means a dead connection.',
  result: LiveChangeSchema,
  resultType: 'text/event-stream',
  streams: true,
});
