import type { FastifyInstance } from 'fastify';
import { answerSpeech } from '../../gateway/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { type Serving, serve } from '../serve.ts';

export function speech(app: FastifyInstance, serving: Serving, style: ClientCodec): void {
  app.post(
    '/api/v1/audio/speech',
    serve(serving, 'audio.speech', style, (call) => answerSpeech(call, serving.gw)),
  );
}
