/** The events that an open page receives, as the document publishes them. */

import { CHANGED_THINGS } from '@dargah/core/changed-things.ts';
import Type from 'typebox';
import { nullable, responseObject } from '../building-blocks.ts';

export const LiveChangeSchema = responseObject(
  {
    what: Type.Enum([...CHANGED_THINGS, 'everything'], {
      description: '`everything`: news may have been missed, so all that is shown is to be read again.',
    }),
    id: nullable(Type.String({ description: 'Null where several have changed, or there is one of a kind.' })),
  },
  'LiveChange',
);
