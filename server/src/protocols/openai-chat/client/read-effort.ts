import { REASONING_EFFORTS, type ReasoningEffort } from '../../../core/chat.ts';
import type { Json } from '../../../core/json.ts';
import { oneOf } from '../../read-fields.ts';

/** Some clients write out that they leave it to the model. */
export const DEFAULT_EFFORT = 'default';

const readWord = oneOf(REASONING_EFFORTS);

export function readEffort(value: Json, param: string): ReasoningEffort | undefined {
  return value === DEFAULT_EFFORT ? undefined : readWord(value, param);
}
