/** What is kept of the account, described: which data, where, for how long, who sees it, and where that is set. */
import { MEMBER_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { nullable, responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { Both } from '../schemas/notice-schemas.ts';

const KeptThing = responseObject(
  {
    id: Type.String(),
    title: Both,
    what: Both,
    until: Both,
    kept_ms: nullable(Type.Integer({ description: 'How long, where it is a time.' })),
    where: Type.Enum(['database', 'encrypted', 'disk', 'memory', 'nowhere']),
    readers: Both,
    at_closing: Type.Enum(['deleted', 'kept', 'nothing-left'], {
      description: 'What happens to it when the account is closed.',
    }),
    decides: Type.Enum(['account', 'service', 'caller', 'nobody'], { description: 'Who decides how long.' }),
    path: nullable(Type.String({ description: 'The page where that is changed, or where the thing is seen.' })),
  },
  'KeptThing',
);

export const getPrivacy = describeRoute({
  method: 'GET',
  path: '/api/console/privacy',
  operationId: 'getPrivacy',
  tag: 'Account',
  access: member('account', 'read', ...MEMBER_ROLES),
  summary: {
    fa: 'چه چیزی، کجا، تا کی و برای چه کسی نگه داشته می‌شود',
    en: 'What is kept, where, how long and for whom',
  },
  description: 'Made from the settings in force: those of the service, of the account and of its keys.',
  result: responseObject(
    {
      object: Type.Literal('privacy'),
      data: Type.Array(KeptThing),
      keys: Type.Array(
        responseObject(
          { id: Type.String(), name: Type.String(), until: Both, kept_ms: nullable(Type.Integer()) },
          'KeyTexts',
        ),
        {
          description: 'Keys whose own setting decides about prompts and answers on receipts, instead of the account.',
        },
      ),
    },
    'Privacy',
  ),
});
