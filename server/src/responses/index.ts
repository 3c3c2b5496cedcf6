export { type Conversation, type ConversationStore, createConversationStore } from './conversations.ts';
export { forgetResponses } from './purge.ts';
export { createResponseStore, type ResponseStore, type ResponseStoreBounds } from './store.ts';
export { outputOf, type StoredResponse } from './stored-response.ts';
