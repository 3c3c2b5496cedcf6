import type { FastifyInstance } from 'fastify';
import { jsonAnswer } from '../../core/answer.ts';
import { admitFree, keyView } from '../../gateway/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { type Serving, serve } from '../serve.ts';

export function key(app: FastifyInstance, serving: Serving, codec: ClientCodec): void {
  app.get(
    '/api/v1/key',
    serve(serving, 'key', codec, async (call) =>
      jsonAnswer(await keyView(await admitFree(call, serving.gw), serving.gw)),
    ),
  );
}
