/** What an open page hears, as it is published. */
import Type from 'typebox';
import { CHANGED_THINGS } from '../platform/changes.ts';
import { nullable, responseObject } from './openapi/building-blocks.ts';

export const LiveChangeSchema = responseObject(
  {
    what: Type.Enum([...CHANGED_THINGS, 'everything'], {
      description: '`everything`: news may have been missed, so all that is shown is to be read again.',
    }),
    id: nullable(Type.String({ description: 'Null where several have changed, or there is one of a kind.' })),
  },
  'LiveChange',
);
