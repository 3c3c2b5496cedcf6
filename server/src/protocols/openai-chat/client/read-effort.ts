import type { ReasoningEffort } from '../../../core/chat.ts';
import type { Json } from '../../../core/json.ts';
import { oneOf } from '../../read-fields.ts';
import { EFFORTS } from '../own-fields.ts';

/** Some clients write out that they leave it to the model. */
export const DEFAULT_EFFORT = 'default';

const readWord = oneOf(EFFORTS);

export function readEffort(value: Json, param: string): ReasoningEffort | undefined {
  return value === DEFAULT_EFFORT ? undefined : readWord(value, param);
}
