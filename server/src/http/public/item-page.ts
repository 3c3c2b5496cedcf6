/** A page of items, newest first unless asked otherwise. */
import type { JsonObject } from '../../core/json.ts';

const DEFAULT_PAGE = 20;

export interface ItemQuery {
  limit?: number | undefined;
  order?: 'asc' | 'desc' | undefined;
  after?: string | undefined;
}

export function pageOfItems(
  oldestFirst: readonly JsonObject[],
  { limit: size = DEFAULT_PAGE, order = 'desc', after }: ItemQuery,
) {
  const items = order === 'desc' ? [...oldestFirst].reverse() : oldestFirst;
  const from = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  const data = items.slice(from, from + size).map(typed);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: from + size < items.length,
  };
}

/** An item without a type is a message, as the protocol defines. */
export function typed(item: JsonObject): JsonObject & { type: string } {
  const { type } = item;
  return { ...item, type: typeof type === 'string' ? type : 'message' };
}
