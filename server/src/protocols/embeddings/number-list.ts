import type { Json } from '../../core/json.ts';

/** Is it a vector: a list of numbers and not an empty one. */
export function isNumberList(value: Json | undefined): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');
}
