/** Model endpoints, a line each: the paid path does the rest (ADR 0058). */
import { createImage, editImage } from '@dargah/api/public/images.ts';
import { createModeration } from '@dargah/api/public/moderations.ts';
import { createRerank, createRerankV2 } from '@dargah/api/public/rerank.ts';
import {
  editsEndpoint,
  type Gateway,
  generationsEndpoint,
  moderationsEndpoint,
  type PaidEndpoint,
  rerankEndpoint,
  runPaidForm,
  runPaidRequest,
} from '../../gateway/index.ts';
import type { Asked } from '../../gateway/paid/paid-endpoint.ts';
import { openaiChatClient } from '../../protocols/index.ts';
import { bytesAnnounced, PICTURE_MEMORY_FACTOR, receivePictures } from '../receive-pictures.ts';
import type { KeyDescription, KeyRoutes } from '../routes/key-routes.ts';

export function paidEndpoints(routes: KeyRoutes, gw: Gateway, maxUploadBytes: number): void {
  const serve = <A extends Asked, Begun>(at: KeyDescription, endpoint: PaidEndpoint<undefined, A, Begun>) =>
    routes.model(at, openaiChatClient, (call) => runPaidRequest(call, endpoint, undefined, gw));
  serve(createRerank, rerankEndpoint);
  serve(createRerankV2, rerankEndpoint);
  serve(createModeration, moderationsEndpoint);
  serve(createImage, generationsEndpoint);
  routes.upload(editImage, openaiChatClient, (call, form) => {
    const bytes = bytesAnnounced(form, maxUploadBytes) * PICTURE_MEMORY_FACTOR;
    return runPaidForm(call, editsEndpoint, { bytes, receive: () => receivePictures(form, maxUploadBytes) }, gw);
  });
}
