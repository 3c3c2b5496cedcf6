import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { admitFree, jsonAnswer } from '../../gateway/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { customerReceipt, type RequestLog } from '../../requestlog/index.ts';
import { type Serving, serve } from '../serve.ts';

export function requests(app: FastifyInstance, serving: Serving, style: ClientCodec, log: RequestLog): void {
  app.get(
    '/api/v1/requests/:id',
    serve(serving, 'requests', style, async (call, request) => {
      const key = await admitFree(call, serving.gw);
      const { id } = request.params as { id: string };
      const found = await log.find(id, key.account.id);
      // Another account's request looks exactly like one that never was.
      if (!found) throw new GatewayError('not_found');
      return jsonAnswer(customerReceipt(found));
    }),
  );
}
