import type { FastifyInstance } from 'fastify';
import { jsonAnswer } from '../../core/answer.ts';
import { GatewayError } from '../../core/errors.ts';
import { admitFree } from '../../gateway/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { customerReceipt, type RequestLog } from '../../requestlog/index.ts';
import { type Serving, serve } from '../serve.ts';

/** What no id of ours looks like is not asked of the database, which refuses some texts (NUL) with an error. */
const REQUEST_ID = /^[\w-]{1,64}$/;

export function requests(app: FastifyInstance, serving: Serving, codec: ClientCodec, log: RequestLog): void {
  app.get(
    '/api/v1/requests/:id',
    serve(serving, 'requests', codec, async (call, request) => {
      const key = await admitFree(call, serving.gw);
      const { id } = request.params as { id: string };
      const found = REQUEST_ID.test(id) ? await log.find(id, key.account.id) : undefined;
      // Another account's request looks exactly like one that never was.
      if (!found) throw new GatewayError('not_found');
      return jsonAnswer(customerReceipt(found));
    }),
  );
}
