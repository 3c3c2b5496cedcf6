/** One entry of the trail of changes, as operators and customers see it. */

import { TRAIL_ACTS } from '@dargah/core/admin-acts.ts';
import Type from 'typebox';
import { AnyJson, nullable, Time } from '../building-blocks.ts';

export const TRAIL_ENTRY = {
  id: Type.String(),
  at: Time,
  actor: Type.String(),
  actor_name: nullable(Type.String()),
  action: Type.Enum([...TRAIL_ACTS], { title: 'AdminAct' }),
  subject: Type.String(),
  detail: AnyJson,
};
