/** Model endpoints whose body is JSON and whose answer comes whole: a line each, the paid path does the rest (ADR 0058). */
import { createModeration } from '@dargah/api/public/moderations.ts';
import { createRerank, createRerankV2 } from '@dargah/api/public/rerank.ts';
import {
  type Gateway,
  moderationsEndpoint,
  type PaidEndpoint,
  rerankEndpoint,
  runPaidRequest,
} from '../../gateway/index.ts';
import type { Asked } from '../../gateway/paid/paid-endpoint.ts';
import { openaiChatClient } from '../../protocols/index.ts';
import type { KeyDescription, KeyRoutes } from '../routes/key-routes.ts';

export function paidEndpoints(routes: KeyRoutes, gw: Gateway): void {
  const serve = <A extends Asked, Begun>(at: KeyDescription, endpoint: PaidEndpoint<undefined, A, Begun>) =>
    routes.model(at, openaiChatClient, (call) => runPaidRequest(call, endpoint, undefined, gw));
  serve(createRerank, rerankEndpoint);
  serve(createRerankV2, rerankEndpoint);
  serve(createModeration, moderationsEndpoint);
}
