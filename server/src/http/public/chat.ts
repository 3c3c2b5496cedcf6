/** Chat in three protocols, and the older completions. Unknown betas and `?beta=true` of the Anthropic SDK are ignored. */

import { countTokens, createChatCompletion, createCompletion, createMessage } from '@dargah/api/public/chat.ts';
import { answerChat, answerCountTokens, type Gateway } from '../../gateway/index.ts';
import {
  anthropicMessagesClient,
  decodeCountTokensRequest,
  encodeTokenCount,
  openaiChatClient,
  openaiCompletionsClient,
} from '../../protocols/index.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';

export const CHAT = { client: openaiChatClient, responseIdPrefix: 'chatcmpl-' };
export const COMPLETIONS = { client: openaiCompletionsClient, responseIdPrefix: 'cmpl-', translated: true } as const;
export const MESSAGES = { client: anthropicMessagesClient, responseIdPrefix: 'msg_' };
const COUNT = { decode: decodeCountTokensRequest, encode: encodeTokenCount, byProvider: true } as const;

export function chat(routes: KeyRoutes, gw: Gateway): void {
  routes.model(createChatCompletion, CHAT.client, (call) => answerChat(call, CHAT, gw));
  routes.model(createCompletion, COMPLETIONS.client, (call) => answerChat(call, COMPLETIONS, gw));
  routes.model(createMessage, MESSAGES.client, (call) => answerChat(call, MESSAGES, gw));
  routes.model(countTokens, MESSAGES.client, (call) => answerCountTokens(call, COUNT, gw));
}
