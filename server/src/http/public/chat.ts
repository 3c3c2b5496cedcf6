/** Chat in three protocols. Unknown betas and `?beta=true` of the Anthropic SDK are simply not looked at. */
import { answerChat, answerCountTokens, type Gateway } from '../../gateway/index.ts';
import { anthropicMessagesClient, decodeCountTokensRequest, openaiChatClient } from '../../protocols/index.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import { countTokens, createChatCompletion, createMessage } from './routes/chat.ts';

export const CHAT = { client: openaiChatClient, responseIdPrefix: 'chatcmpl-' };
export const MESSAGES = { client: anthropicMessagesClient, responseIdPrefix: 'msg_' };

export function chat(routes: KeyRoutes, gw: Gateway): void {
  routes.model(createChatCompletion, CHAT.client, (call) => answerChat(call, CHAT, gw));
  routes.model(createMessage, MESSAGES.client, (call) => answerChat(call, MESSAGES, gw));
  routes.model(countTokens, MESSAGES.client, (call) => answerCountTokens(call, decodeCountTokensRequest, gw));
}
