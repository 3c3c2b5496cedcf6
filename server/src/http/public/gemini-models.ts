/** The models of a key as Gemini's own API lists them. */
import { getGeminiModel, listGeminiModels } from '@dargah/api/public/gemini.ts';
import type { Model } from '../../catalog/index.ts';
import { invalidRequest } from '../../core/errors.ts';
import { reasons } from '../../core/reasons.ts';
import { type Gateway, modelNotFound } from '../../gateway/index.ts';
import { geminiGenerateClient } from '../../protocols/index.ts';
import { geminiModelId } from '../gemini-address.ts';
import type { InputHandler } from '../routes/checked-input.ts';
import type { KeyCaller, KeyHandler, KeyRoutes } from '../routes/key-routes.ts';
import { permittedModels } from './permitted-models.ts';

const OPTIONS = { codec: geminiGenerateClient };

/** Registers both routes, and returns their handlers for addresses that other protocols share. */
export function geminiModels(routes: KeyRoutes, gw: Gateway): { list: KeyHandler; one: KeyHandler } {
  const list: InputHandler<typeof listGeminiModels, KeyCaller> = async ({ key, query: { pageSize, pageToken } }) =>
    pageOf(permittedModels(key, gw), pageSize, pageToken);
  const one: InputHandler<typeof getGeminiModel, KeyCaller> = async ({ key, request }) => {
    const { '*': name } = request.params as { '*': string };
    const id = geminiModelId(name);
    const model = permittedModels(key, gw).find((candidate) => candidate.id === id);
    if (!model) throw modelNotFound(id, key, gw.catalog.current());
    return viewOf(model);
  };
  routes.free(listGeminiModels, list, OPTIONS);
  routes.free(getGeminiModel, one, OPTIONS);
  return {
    list: routes.handlerOf(listGeminiModels, list, OPTIONS),
    one: routes.handlerOf(getGeminiModel, one, OPTIONS),
  };
}

const PAGE = 50;
const CHAT_METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'];
const EMBED_METHODS = ['embedContent', 'batchEmbedContents'];

/**
 * A page begins after the model that its token names, so a change of the list between two pages neither repeats nor
 * skips any other model.
 */
function pageOf(models: readonly Model[], pageSize = PAGE, pageToken?: string) {
  const offered = models.filter(({ kind }) => kind === 'chat' || kind === 'embedding');
  const after = pageToken ? offered.findIndex(({ id }) => id === pageToken) : -1;
  if (pageToken && after === -1) throw invalidRequest('pageToken', reasons.unknownModel(pageToken));
  const page = offered.slice(after + 1, after + 1 + pageSize);
  const last = page.at(-1);
  return {
    models: page.map(viewOf),
    ...(last && last !== offered.at(-1) && { nextPageToken: last.id }),
  };
}

function viewOf({ id, name, kind, context, maxOutput, capabilities }: Model) {
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: id,
    displayName: name,
    ...(context !== undefined && { inputTokenLimit: context }),
    ...(maxOutput !== undefined && { outputTokenLimit: maxOutput }),
    supportedGenerationMethods: kind === 'embedding' ? EMBED_METHODS : kind === 'chat' ? CHAT_METHODS : [],
    thinking: capabilities.has('reasoning'),
  };
}
