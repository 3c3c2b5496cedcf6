/** Conversations of the Responses protocol: kept for the account, continued by answers, read and changed by their items. */

import type { ResultOf } from '@dargah/api/describe-route.ts';
import {
  addConversationItems,
  createConversation,
  deleteConversation,
  deleteConversationItem,
  getConversation,
  getConversationItem,
  listConversationItems,
  updateConversation,
} from '@dargah/api/public/conversations.ts';
import { GatewayError } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import { type Gateway, memoryOf } from '../../gateway/index.ts';
import { openaiResponsesClient } from '../../protocols/index.ts';
import type { Conversation, ConversationStore } from '../../responses/index.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import { pageOfItems } from './item-page.ts';

export function conversations(routes: KeyRoutes, gw: Gateway, store: ConversationStore): void {
  const options = { codec: openaiResponsesClient };
  routes.free(
    createConversation,
    async ({ key, body }) =>
      view(await store.create(key.account.id, body.metadata ?? {}, (body.items ?? []).filter(isJsonObject))),
    options,
  );
  routes.free(
    getConversation,
    async ({ key, params }) => view(found(await store.find(key.account.id, params.id))),
    options,
  );
  routes.free(
    updateConversation,
    async ({ key, params, body }) => view(found(await store.update(key.account.id, params.id, body.metadata ?? {}))),
    options,
  );
  routes.free(
    deleteConversation,
    async ({ key, params: { id } }) => {
      if (!(await store.remove(key.account.id, id))) throw new GatewayError('not_found');
      return { id, object: 'conversation.deleted', deleted: true };
    },
    options,
  );
  routes.free(
    listConversationItems,
    async ({ key, params, query, call }) =>
      pageOfItems(found(await store.items(key.account.id, params.id, memoryOf(call, gw))), query),
    options,
  );
  routes.free(
    addConversationItems,
    async ({ key, params, body }) => {
      const added = await store.add(key.account.id, params.id, body.items.filter(isJsonObject));
      return pageOfItems(added, { limit: added.length, order: 'asc' });
    },
    options,
  );
  routes.free(
    getConversationItem,
    async ({ key, params, call }) =>
      found(await store.item(key.account.id, params.id, params.item, memoryOf(call, gw))),
    options,
  );
  routes.free(
    deleteConversationItem,
    async ({ key, params }) => {
      if (!(await store.removeItem(key.account.id, params.id, params.item))) throw new GatewayError('not_found');
      return view(found(await store.find(key.account.id, params.id)));
    },
    options,
  );
}

/** Another account's conversation looks exactly like one that never existed. */
function found<T>(value: T | undefined): T {
  if (value === undefined) throw new GatewayError('not_found');
  return value;
}

function view({ id, metadata, createdAt }: Conversation): ResultOf<typeof getConversation> {
  return { id, object: 'conversation', created_at: Math.floor(createdAt / 1000), metadata };
}
