/**
 * Conversations: ordered items, kept for an account. An answer in a conversation reads them all and adds its own. The
 * next answer of the same process waits for that, so that it sees every earlier turn.
 */

import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import type { Background } from '../platform/background.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import { JSON_MEMORY_FACTOR, type MemoryShare } from '../platform/memory-budget.ts';
import {
  CHARACTERS_OF_ACCOUNT,
  CONVERSATION_BY_ID,
  type ConversationRow,
  DELETE_CONVERSATION,
  DELETE_CONVERSATION_ITEM,
  INSERT_CONVERSATION,
  INSERT_CONVERSATION_ITEMS,
  ITEMS_OF_CONVERSATION,
  PROLONG_CONVERSATION,
  SIZE_OF_ITEMS,
  UPDATE_CONVERSATION,
} from './conversation-rows.ts';
import { purge } from './purge.ts';
import { conversationReasons } from './reasons.ts';
import { isStorableId } from './stored-response.ts';

export interface Conversation {
  id: string;
  metadata: Record<string, string>;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export interface ConversationStore {
  create(accountId: string, metadata: Record<string, string>, items: readonly JsonObject[]): Promise<Conversation>;
  find(accountId: string, id: string): Promise<Conversation | undefined>;
  update(accountId: string, id: string, metadata: Record<string, string>): Promise<Conversation | undefined>;
  remove(accountId: string, id: string): Promise<boolean>;
  /**
   * All items, oldest first; undefined when there is no such conversation. Memory for them is reserved from `memory`
   * before they are loaded.
   */
  items(accountId: string, id: string, memory: MemoryShare): Promise<JsonObject[] | undefined>;
  item(accountId: string, id: string, itemId: string, memory: MemoryShare): Promise<JsonObject | undefined>;
  /**
   * Adds an answer's items. Never throws, because the answer is already made and charged. Returns false when there was
   * no room, or the conversation no longer exists.
   */
  append(accountId: string, id: string, items: readonly JsonObject[]): Promise<boolean>;
  /** Returns the items as they were added, each with its id. */
  add(accountId: string, id: string, items: readonly JsonObject[]): Promise<JsonObject[]>;
  removeItem(accountId: string, id: string, itemId: string): Promise<boolean>;
}

export interface ConversationOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  background: Background;
  log: Log;
  bounds: ConversationBounds;
}

export interface ConversationBounds {
  keepMs: number;
  perAccount: number;
  characters: number;
  charactersOfAccount: number;
}

const PURGE_MS = HOUR_MS;

export function createConversationStore(options: ConversationOptions): ConversationStore {
  const { db, clock, background, bounds } = options;
  background.every(PURGE_MS, 'expired conversations', () => purge(db, 'conversation', clock.now(), bounds.perAccount));
  return new SqlConversations(options);
}

class SqlConversations implements ConversationStore {
  readonly #options: ConversationOptions;
  /** Additions that are running, by conversation. */
  readonly #adding = new Map<string, Promise<boolean>>();

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  async create(
    accountId: string,
    metadata: Record<string, string>,
    items: readonly JsonObject[],
  ): Promise<Conversation> {
    const { db, clock, randomBytes, bounds } = this.#options;
    if (bounds.keepMs === 0) throw invalidRequest(undefined, conversationReasons.conversationsNotKept);
    const createdAt = clock.now();
    const id = makeId('conv', createdAt, randomBytes);
    await db.transaction(async (tx) => {
      await INSERT_CONVERSATION.run(tx, [id, accountId, JSON.stringify(metadata), createdAt, this.#expiry()]);
      await this.#insert(tx, accountId, id, items);
    });
    return { id, metadata, createdAt };
  }

  async find(accountId: string, id: string): Promise<Conversation | undefined> {
    if (!isStorableId(id)) return undefined;
    const { db, clock } = this.#options;
    const row = await CONVERSATION_BY_ID.first(db, [id, accountId, clock.now()]);
    return row && conversationOf(row);
  }

  async update(accountId: string, id: string, metadata: Record<string, string>): Promise<Conversation | undefined> {
    if (!isStorableId(id)) return undefined;
    const { db } = this.#options;
    const row = await UPDATE_CONVERSATION.first(db, [id, accountId, JSON.stringify(metadata), this.#expiry()]);
    return row && conversationOf(row);
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    if (!isStorableId(id)) return false;
    const { db } = this.#options;
    const rows = await DELETE_CONVERSATION.rows(db, [id, accountId]);
    return rows.length > 0;
  }

  async items(accountId: string, id: string, memory: MemoryShare): Promise<JsonObject[] | undefined> {
    await this.#adding.get(id);
    return this.#load(accountId, id, undefined, memory);
  }

  async item(accountId: string, id: string, itemId: string, memory: MemoryShare): Promise<JsonObject | undefined> {
    if (!isStorableId(itemId)) return undefined;
    return (await this.#load(accountId, id, itemId, memory))?.[0];
  }

  /** Loads all items when `itemId` is undefined. */
  async #load(
    accountId: string,
    id: string,
    itemId: string | undefined,
    memory: MemoryShare,
  ): Promise<JsonObject[] | undefined> {
    if (!isStorableId(id)) return undefined;
    const { db, clock } = this.#options;
    const found = await SIZE_OF_ITEMS.first(db, [id, accountId, clock.now(), itemId ?? null]);
    if (!found) return undefined;
    await memory.reserve('stored', found.bytes * JSON_MEMORY_FACTOR);
    const rows = await ITEMS_OF_CONVERSATION.rows(db, [id, itemId ?? null]);
    return rows.map(({ item }) => parseTrustedJson(item)).filter(isJsonObject);
  }

  async append(accountId: string, id: string, items: readonly JsonObject[]): Promise<boolean> {
    const before = this.#adding.get(id) ?? Promise.resolve(true);
    const adding = before
      .then(() => this.add(accountId, id, items))
      .then(() => true)
      .catch((error: unknown) => {
        this.#options.log.warn({ conversationId: id, err: error }, 'a conversation could not be continued');
        return false;
      });
    this.#adding.set(id, adding);
    const added = await adding;
    if (this.#adding.get(id) === adding) this.#adding.delete(id);
    return added;
  }

  async add(accountId: string, id: string, items: readonly JsonObject[]): Promise<JsonObject[]> {
    if (!isStorableId(id)) throw new GatewayError('not_found');
    const { db } = this.#options;
    return db.transaction(async (tx) => {
      // Locks the conversation, because its items have one order whoever adds them.
      const rows = await PROLONG_CONVERSATION.rows(tx, [id, accountId, this.#expiry()]);
      if (rows.length === 0) throw new GatewayError('not_found');
      return this.#insert(tx, accountId, id, items);
    });
  }

  async removeItem(accountId: string, id: string, itemId: string): Promise<boolean> {
    if (!isStorableId(id) || !isStorableId(itemId)) return false;
    const { db } = this.#options;
    const rows = await DELETE_CONVERSATION_ITEM.rows(db, [id, accountId, itemId]);
    return rows.length > 0;
  }

  #expiry(): number {
    const { clock, bounds } = this.#options;
    return clock.now() + bounds.keepMs;
  }

  async #insert(tx: Queryable, accountId: string, id: string, items: readonly JsonObject[]): Promise<JsonObject[]> {
    const { clock, randomBytes } = this.#options;
    const named = items.map((item) => withId(item, (prefix) => makeId(prefix, clock.now(), randomBytes)));
    // An item that exists already stays as it is.
    await INSERT_CONVERSATION_ITEMS.run(tx, [
      id,
      named.map((item) => item['id']),
      named.map((item) => JSON.stringify(item)),
    ]);
    await this.#checkRoom(tx, accountId, id);
    return named;
  }

  async #checkRoom(tx: Queryable, accountId: string, id: string): Promise<void> {
    const { characters, charactersOfAccount } = this.#options.bounds;
    const size = await CHARACTERS_OF_ACCOUNT.first(tx, [accountId, id]);
    if (!size || (size.own <= characters && (size.all ?? 0) <= charactersOfAccount)) return;
    throw invalidRequest(
      'items',
      size.own > characters ? conversationReasons.conversationFull : conversationReasons.accountFull,
      { status: 413 },
    );
  }
}

/** Items in the form in which the protocol lists them: with an id, a type, and content as parts. */
function withId(item: JsonObject, newId: (prefix: string) => string): JsonObject {
  const type = item['type'] ?? 'message';
  const { content, role } = item;
  const text = role === 'assistant' ? 'output_text' : 'input_text';
  return {
    ...item,
    type,
    ...(!isItemId(item['id']) && { id: newId(type === 'message' ? 'msg' : 'item') }),
    ...(typeof content === 'string' && { content: [{ type: text, text: content }] }),
  };
}

function isItemId(id: Json | undefined): boolean {
  return typeof id === 'string' && isStorableId(id);
}

function conversationOf({ id, metadata, created_at }: ConversationRow): Conversation {
  const parsed = parseTrustedJson(metadata);
  const entries = isJsonObject(parsed) ? Object.entries(parsed) : [];
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { id, metadata: Object.fromEntries(texts), createdAt: created_at.getTime() };
}
