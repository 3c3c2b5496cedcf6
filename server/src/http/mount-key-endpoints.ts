/** The endpoints that are called with an API key. */
import type { HttpOptions } from './http-options.ts';
import { account } from './public/account.ts';
import { batches } from './public/batches.ts';
import { chat } from './public/chat.ts';
import { conversations } from './public/conversations.ts';
import { embeddingsAndAudio } from './public/embeddings-audio.ts';
import { files } from './public/files.ts';
import { gemini } from './public/gemini.ts';
import { knowledgeBases } from './public/knowledge-bases.ts';
import { messageBatches } from './public/message-batches.ts';
import { paidEndpoints } from './public/paid-endpoints.ts';
import { realtime } from './public/realtime.ts';
import { responses } from './public/responses.ts';
import type { PublicSite } from './public-site.ts';
import type { KnowledgeServices } from './receive-document.ts';
import type { KeyRoutes } from './routes/key-routes.ts';
import type { ServedSockets } from './sockets/index.ts';

export function mountKeyEndpoints(
  routes: KeyRoutes,
  options: HttpOptions,
  knowledge: KnowledgeServices,
  { site, served }: { site: PublicSite; served: ServedSockets },
): void {
  const { gw, uploads, config } = options;
  chat(routes, gw);
  responses(routes, gw, options.responses, options.conversations, served);
  conversations(routes, gw, options.conversations);
  gemini(routes, gw);
  embeddingsAndAudio(routes, gw, { uploads, maxUploadBytes: config.limits.maxUploadBytes });
  paidEndpoints(routes, gw, config.limits.maxUploadBytes);
  const { service, endpoints } = options.batches;
  const { fileMaxBytes: maxFileBytes } = config.limits;
  files(routes, gw, { batches: service, uploads, maxFileBytes });
  batches(routes, gw, service, endpoints);
  messageBatches(routes, gw, { ...options.batches, uploads, maxFileBytes, site });
  realtime(routes, gw, options.clientSecrets, served);
  const { priceChanges: prices } = options.pages;
  account(routes, gw, { log: options.requestLog, usage: options.usage.reports, prices });
  knowledgeBases(routes, knowledge);
}
