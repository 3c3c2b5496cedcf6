/** One stored answer of the Responses language, with the items its request brought. */
import { isJsonObject, type JsonObject } from '../core/json.ts';

export interface StoredResponse {
  id: string;
  accountId: string;
  previousId: string | null;
  /** The items this request brought; those of earlier turns are in the answers before. */
  input: JsonObject[];
  /** The response object as the client got it. */
  response: JsonObject;
  /** Milliseconds since 1970. */
  createdAt: number;
  expiresAt: number;
}

export function outputOf({ response }: StoredResponse): JsonObject[] {
  return Array.isArray(response['output']) ? response['output'].filter(isJsonObject) : [];
}

/** Every item of the answer and its request that has an id, by that id. */
export function itemsById(stored: StoredResponse): Map<string, JsonObject> {
  const items = new Map<string, JsonObject>();
  for (const item of [...stored.input, ...outputOf(stored)]) {
    if (typeof item['id'] === 'string') items.set(item['id'], item);
  }
  return items;
}
