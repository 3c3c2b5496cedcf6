/** The second style. Its SDK appends `/v1/messages` to `{root_url}`; unknown betas and `?beta=true` are simply not looked at. */
import type { FastifyInstance } from 'fastify';
import type { ChatRequest } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import { answerChat, answerCountTokens, type ClientLanguage } from '../../gateway/index.ts';
import { type Serving, serve } from '../serve.ts';

export function messages(
  app: FastifyInstance,
  serving: Serving,
  language: ClientLanguage,
  decodeForCounting: (body: JsonObject) => ChatRequest,
): void {
  app.post(
    '/api/v1/messages',
    serve(serving, 'messages', language.client, (call) => answerChat(call, language, serving.gw)),
  );
  app.post(
    '/api/v1/messages/count_tokens',
    serve(serving, 'messages.count_tokens', language.client, (call) =>
      answerCountTokens(call, decodeForCounting, serving.gw),
    ),
  );
}
