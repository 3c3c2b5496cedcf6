/** One stored answer of the Responses protocol, with the items its request brought. */
import { isJsonObject, type JsonObject, parseTrustedJson } from '../core/json.ts';

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
  /** Until when an answer that is still being made counts as alive. */
  runsUntil?: number;
}

/** The same with its contents as text, which is what the database stores and what memory is counted by. */
export interface PackedResponse extends Omit<StoredResponse, 'input' | 'response'> {
  inputText: string;
  responseText: string;
  itemIds: readonly string[];
  /** Set when its beginning is in the database. */
  begun?: true;
}

export function pack({ input, response, ...rest }: StoredResponse): PackedResponse {
  const itemIds = [...itemsById({ input, response }).keys()];
  return { ...rest, inputText: JSON.stringify(input), responseText: JSON.stringify(response), itemIds };
}

export function unpack(packed: Omit<PackedResponse, 'itemIds'>): StoredResponse {
  const { id, accountId, previousId, createdAt, expiresAt, runsUntil } = packed;
  const input = parseTrustedJson(packed.inputText);
  const response = parseTrustedJson(packed.responseText);
  return {
    id,
    accountId,
    previousId,
    input: Array.isArray(input) ? input.filter(isJsonObject) : [],
    response: isJsonObject(response) ? response : {},
    createdAt,
    expiresAt,
    ...(runsUntil !== undefined && { runsUntil }),
  };
}

const MAX_ID = 256;

/** Estimated memory for the object, its entries in tables and its ids. */
const BESIDES_TEXT_BYTES = 1_000;

/** Counts two bytes per character, because one Persian letter makes the engine store a text that way. */
export function memoryBytes({ inputText, responseText }: PackedResponse): number {
  return BESIDES_TEXT_BYTES + 2 * (inputText.length + responseText.length);
}

export function outputOf({ response }: Pick<StoredResponse, 'response'>): JsonObject[] {
  return Array.isArray(response['output']) ? response['output'].filter(isJsonObject) : [];
}

/** Every item of the answer and its request that has an id, by that id. */
export function itemsById(stored: Pick<StoredResponse, 'input' | 'response'>): Map<string, JsonObject> {
  const items = new Map<string, JsonObject>();
  for (const item of [...stored.input, ...outputOf(stored)]) {
    if (typeof item['id'] === 'string' && isStorableId(item['id'])) items.set(item['id'], item);
  }
  return items;
}

/**
 * Clients name items as they like, but the database refuses some texts (NUL), and one refused answer would block all
 * that wait after it.
 */
export function isStorableId(id: string): boolean {
  return id !== '' && id.length <= MAX_ID && !id.includes('\0');
}
