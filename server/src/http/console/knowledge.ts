/** `/api/console/knowledge-bases`: the same operations as the public ones, for the whole account instead of one key. */

import { page } from '@dargah/api/building-blocks.ts';
import {
  addDocument,
  createBase,
  deleteBase,
  deleteDocument,
  getBase,
  getDocument,
  listBases,
  listDocuments,
  listPassages,
  renameBase,
  replaceDocument,
  searchBase,
} from '@dargah/api/console/knowledge.ts';
import type { Reach } from '../../knowledge/index.ts';
import { type KnowledgeServices, readDocumentBody, receiveFile } from '../receive-document.ts';
import type { AccountPrincipal } from '../routes/guards.ts';
import type { Register } from '../routes/register.ts';
import { baseView, documentView, passageView, searchView } from '../views/knowledge-views.ts';

function reachOf({ accountId, actor }: AccountPrincipal): Reach {
  return { accountId, baseIds: null, actor };
}

export function knowledgeRoutes(register: Register, services: KnowledgeServices): void {
  const { service } = services;
  register(listBases, async ({ who, query }) => {
    const { items, next } = await service.listBases(reachOf(who), query);
    return page(items.map(baseView), next);
  });
  register(createBase, async ({ who, body }) => {
    const input = { name: body.name, embeddingModel: body.embedding_model ?? null };
    return baseView(await service.createBase({ ...reachOf(who), accountId: who.accountId }, input));
  });
  register(getBase, async ({ who, params }) => baseView(await service.getBase(reachOf(who), params.id)));
  register(renameBase, async ({ who, params, body }) =>
    baseView(await service.renameBase(reachOf(who), params.id, body.name)),
  );
  register(deleteBase, async ({ who, params }) => {
    await service.deleteBase(reachOf(who), params.id);
    return { id: params.id, deleted: true };
  });
  register(searchBase, async ({ who, params, body }) =>
    searchView(await service.search(reachOf(who), params.id, body.query, body.limit ?? 10)),
  );
  register(listDocuments, async ({ who, params, query, language }) => {
    const { items, next } = await service.listDocuments(reachOf(who), params.id, query);
    return page(
      items.map((item) => documentView(item, language)),
      next,
    );
  });
  register(
    addDocument,
    async ({ who, params, body, language }) => {
      const input = readDocumentBody(body, services);
      return documentView((await service.addDocument(reachOf(who), params.id, input)).document, language);
    },
    async ({ who, params, language, call }, form) => {
      // The base is checked first, so that nobody uploads megabytes to an address that does not exist.
      await service.getBase(reachOf(who), params.id);
      const input = await receiveFile(form, services, call);
      return documentView((await service.addDocument(reachOf(who), params.id, input)).document, language);
    },
  );
  register(getDocument, async ({ who, params, language }) =>
    documentView(await service.getDocument(reachOf(who), params.id, params.document), language),
  );
  register(listPassages, async ({ who, params, query }) => {
    const { items, next } = await service.listPassages(reachOf(who), params.id, params.document, query);
    return page(items.map(passageView), next);
  });
  register(
    replaceDocument,
    async ({ who, params, body, language }) => {
      const input = readDocumentBody(body, services);
      return documentView(await service.replaceDocument(reachOf(who), params.id, params.document, input), language);
    },
    async ({ who, params, language, call }, form) => {
      await service.getDocument(reachOf(who), params.id, params.document);
      const input = await receiveFile(form, services, call);
      return documentView(await service.replaceDocument(reachOf(who), params.id, params.document, input), language);
    },
  );
  register(deleteDocument, async ({ who, params }) => {
    await service.deleteDocument(reachOf(who), params.id, params.document);
    return { id: params.document, deleted: true };
  });
}
