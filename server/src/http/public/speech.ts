import type { FastifyInstance } from 'fastify';
import { answerSpeech } from '../../gateway/index.ts';
import { type ClientCodec, decodeSpeechRequest } from '../../protocols/index.ts';
import { SpeechBody } from '../openapi/bodies/audio.ts';
import { gated } from '../openapi/gated-codec.ts';
import { type Serving, serve } from '../serve.ts';

const decode = gated(SpeechBody, decodeSpeechRequest);

export function speech(app: FastifyInstance, serving: Serving, codec: ClientCodec): void {
  app.post(
    '/api/v1/audio/speech',
    serve(serving, 'audio.speech', codec, (call) => answerSpeech(call, serving.gw, decode)),
  );
}
