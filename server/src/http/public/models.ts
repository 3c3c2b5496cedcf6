import type { FastifyInstance } from 'fastify';
import { listView, type Model, modelView } from '../../catalog/index.ts';
import { jsonAnswer } from '../../core/answer.ts';
import { GatewayError } from '../../core/errors.ts';
import { admitFree, type Gateway } from '../../gateway/index.ts';
import { type KeySnapshot, permitsModel } from '../../keys/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { type Serving, serve } from '../serve.ts';

export function models(app: FastifyInstance, serving: Serving, codec: ClientCodec): void {
  const { gw } = serving;
  app.get(
    '/api/v1/models',
    serve(serving, 'models', codec, async (call) =>
      jsonAnswer(listView(permittedModels(await admitFree(call, gw), gw))),
    ),
  );
  app.get(
    '/api/v1/models/*',
    serve(serving, 'models', codec, async (call, request) => {
      const key = await admitFree(call, gw);
      // The id itself holds a slash, written plainly or as %2F; the router has decoded it, and twice would be once too often.
      const { '*': id } = request.params as { '*': string };
      const model = permittedModels(key, gw).find((candidate) => candidate.id === id);
      if (!model) throw new GatewayError('model_not_found', { param: 'model' });
      return jsonAnswer(modelView(model));
    }),
  );
}

/** Only what the key may use is listed. */
function permittedModels(key: KeySnapshot, gw: Gateway): Model[] {
  const { models, groups } = gw.catalog.current();
  return [...models.values()].filter((model) => permitsModel(key, model.id, model.id, groups));
}
