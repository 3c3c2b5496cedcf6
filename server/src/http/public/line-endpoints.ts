/** What lines of batches may ask, by the address that they name. */
import { embeddingsEndpoint } from '../../gateway/embeddings/embeddings.ts';
import {
  answerChat,
  answerResponses,
  BackgroundAnswers,
  type Gateway,
  type LineEndpoint,
  moderationsEndpoint,
  runPaidRequest,
} from '../../gateway/index.ts';
import { openaiChatClient } from '../../protocols/index.ts';
import type { ConversationStore, ResponseStore } from '../../responses/index.ts';
import { CHAT, COMPLETIONS, MESSAGES } from './chat.ts';
import { EMBEDDINGS } from './embeddings-audio.ts';
import { RESPONSES } from './responses.ts';

export type LineEndpoints = ReadonlyMap<string, LineEndpoint>;

export function lineEndpoints(gw: Gateway, store: ResponseStore, conversations: ConversationStore): LineEndpoints {
  const tools = { store, conversations, background: new BackgroundAnswers(store) };
  const chats = [
    ['/v1/chat/completions', 'chat.completions', CHAT],
    ['/v1/completions', 'completions', COMPLETIONS],
    ['/v1/messages', 'messages', MESSAGES],
  ] as const;
  const endpoints = new Map<string, LineEndpoint>();
  for (const [address, name, protocol] of chats)
    endpoints.set(address, { name, client: protocol.client, answer: (call) => answerChat(call, protocol, gw) });
  return endpoints
    .set('/v1/responses', {
      name: 'responses',
      client: RESPONSES.client,
      answer: (call) => answerResponses(call, RESPONSES, tools, gw),
    })
    .set('/v1/embeddings', {
      name: 'embeddings',
      client: openaiChatClient,
      answer: (call) => runPaidRequest(call, embeddingsEndpoint, EMBEDDINGS, gw),
    })
    .set('/v1/moderations', {
      name: 'moderations',
      client: openaiChatClient,
      answer: (call) => runPaidRequest(call, moderationsEndpoint, undefined, gw),
    });
}
