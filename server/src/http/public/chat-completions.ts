import type { FastifyInstance } from 'fastify';
import { answerChat, type ClientLanguage } from '../../gateway/index.ts';
import { type Serving, serve } from '../serve.ts';

export function chatCompletions(app: FastifyInstance, serving: Serving, language: ClientLanguage): void {
  app.post(
    '/api/v1/chat/completions',
    serve(serving, 'chat.completions', language.client, (call) => answerChat(call, language, serving.gw)),
  );
}
