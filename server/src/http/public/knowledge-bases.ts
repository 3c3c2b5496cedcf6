/**
 * `/api/v1/knowledge_bases`: an account's own bases, as far as the key may use them. They are free, like everything that only
 * stores.
 */

import { page } from '@dargah/api/building-blocks.ts';
import * as describe from '@dargah/api/public/knowledge.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Reach } from '../../knowledge/index.ts';
import { type KnowledgeServices, readDocumentBody, receiveFile } from '../receive-document.ts';
import { AnswerWithHeaders } from '../routes/handler-result.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import { baseView, documentView, searchView } from '../views/knowledge-views.ts';

export function knowledgeBases(routes: KeyRoutes, services: KnowledgeServices): void {
  const { service } = services;
  routes.free(describe.createKnowledgeBase, async ({ key, body }) =>
    baseView(await service.createBase(reachOf(key), { name: body.name, embeddingModel: body.embedding_model ?? null })),
  );
  routes.free(describe.listKnowledgeBases, async ({ key, query }) => {
    const { items, next } = await service.listBases(reachOf(key), query);
    return page(items.map(baseView), next);
  });
  routes.free(describe.getKnowledgeBase, async ({ key, params }) =>
    baseView(await service.getBase(reachOf(key), params.id)),
  );
  routes.free(describe.renameKnowledgeBase, async ({ key, params, body }) =>
    baseView(await service.renameBase(reachOf(key), params.id, body.name)),
  );
  routes.free(describe.deleteKnowledgeBase, async ({ key, params: { id } }) => {
    await service.deleteBase(reachOf(key), id);
    return { id, deleted: true };
  });
  routes.free(describe.searchKnowledgeBase, async ({ key, params, body }) =>
    searchView(await service.search(reachOf(key), params.id, body.query, body.limit ?? 10)),
  );
  documents(routes, services);
}

function documents(routes: KeyRoutes, services: KnowledgeServices): void {
  const { service } = services;
  routes.free(describe.listKnowledgeDocuments, async ({ key, params, query, call }) => {
    const { items, next } = await service.listDocuments(reachOf(key), params.id, query);
    return page(
      items.map((item) => documentView(item, call.language)),
      next,
    );
  });
  routes.free(describe.getKnowledgeDocument, async ({ key, params, call }) =>
    documentView(await service.getDocument(reachOf(key), params.id, params.document), call.language),
  );
  routes.free(describe.deleteKnowledgeDocument, async ({ key, params }) => {
    await service.deleteDocument(reachOf(key), params.id, params.document);
    return { id: params.document, deleted: true };
  });
  uploads(routes, services);
}

/**
 * A form is received only when base and document exist, so that nobody uploads megabytes to an address that does not.
 */
function uploads(routes: KeyRoutes, services: KnowledgeServices): void {
  const { service } = services;
  type KnowledgeInput = Parameters<typeof service.addDocument>[2];
  type Adding = { key: KeySnapshot; params: { id: string }; call: { language: 'fa' | 'en' } };
  type Replacing = Adding & { params: { id: string; document: string } };
  const add = async ({ key, params, call }: Adding, input: KnowledgeInput) => {
    const { document, changed } = await service.addDocument(reachOf(key), params.id, input);
    return new AnswerWithHeaders(documentView(document, call.language), {}, changed ? 202 : 200);
  };
  const replace = async ({ key, params, call }: Replacing, input: KnowledgeInput) =>
    documentView(await service.replaceDocument(reachOf(key), params.id, params.document, input), call.language);
  routes.free(describe.addKnowledgeDocument, async (input) => add(input, readDocumentBody(input.body, services)), {
    async form(input, form) {
      await service.getBase(reachOf(input.key), input.params.id);
      return add(input, await receiveFile(form, services, input.call));
    },
  });
  routes.free(
    describe.replaceKnowledgeDocument,
    async (input) => replace(input, readDocumentBody(input.body, services)),
    {
      async form(input, form) {
        await service.getDocument(reachOf(input.key), input.params.id, input.params.document);
        return replace(input, await receiveFile(form, services, input.call));
      },
    },
  );
}

function reachOf(key: KeySnapshot): Reach & { accountId: string } {
  return { accountId: key.account.id, baseIds: key.rules.knowledgeBases, key };
}
