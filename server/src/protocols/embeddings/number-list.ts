import type { Json } from '../../core/json.ts';

/** Whether it is a vector: a non-empty list of numbers. */
export function isNumberList(value: Json | undefined): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');
}
