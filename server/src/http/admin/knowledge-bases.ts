/** `/api/admin/knowledge_bases`: every account's bases, for the operator. The audit log names who made each change. */

import {
  addAnyKnowledgeDocument,
  createAccountKnowledgeBase,
  deleteAnyKnowledgeBase,
  deleteAnyKnowledgeDocument,
  getAnyKnowledgeBase,
  getAnyKnowledgeDocument,
  listAllKnowledgeBases,
  listAnyKnowledgeDocuments,
  renameAnyKnowledgeBase,
  replaceAnyKnowledgeDocument,
  searchAnyKnowledgeBase,
} from '@dargah/api/admin/knowledge-bases.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { AccountService } from '../../accounts/index.ts';
import type { DocumentInput, Reach } from '../../knowledge/index.ts';
import { type KnowledgeServices, readDocumentBody, receiveFile } from '../receive-document.ts';
import type { GuardedDescription, Register, RouteInput } from '../routes/register.ts';
import { baseView, documentView, searchView } from '../views/knowledge-views.ts';

const EVERYWHERE: Reach = { accountId: null, baseIds: null };

export function knowledgeBases(register: Register, services: KnowledgeServices, accounts: AccountService): void {
  const { service } = services;
  register(createAccountKnowledgeBase, async ({ body, actor }) => {
    const { id } = await accounts.get(body.account_id);
    const embeddingModel = body.embedding_model ?? null;
    return baseView(
      await service.createBase({ accountId: id, baseIds: null, actor }, { name: body.name, embeddingModel }),
    );
  });
  register(listAllKnowledgeBases, async ({ query }) => {
    const { items, next } = await service.listBases({ accountId: query.account_id ?? null, baseIds: null }, query);
    return page(items.map(baseView), next);
  });
  register(getAnyKnowledgeBase, async ({ params }) => baseView(await service.getBase(EVERYWHERE, params.id)));
  register(renameAnyKnowledgeBase, async ({ params, body, actor }) =>
    baseView(await service.renameBase({ ...EVERYWHERE, actor }, params.id, body.name)),
  );
  register(deleteAnyKnowledgeBase, async ({ params, actor }) => {
    await service.deleteBase({ ...EVERYWHERE, actor }, params.id);
    return { id: params.id, deleted: true };
  });
  register(searchAnyKnowledgeBase, async ({ params, body }) =>
    searchView(await service.search(EVERYWHERE, params.id, body.query, body.limit ?? 10)),
  );
  documentRoutes(register, services);
}

type To<D extends GuardedDescription> = Pick<RouteInput<D>, 'params' | 'actor' | 'language'>;

function documentRoutes(register: Register, services: KnowledgeServices): void {
  const { service } = services;
  const add = async ({ params, actor, language }: To<typeof addAnyKnowledgeDocument>, input: DocumentInput) => {
    const { document } = await service.addDocument({ ...EVERYWHERE, actor }, params.id, input);
    return documentView(document, language);
  };
  const replace = async ({ params, actor, language }: To<typeof replaceAnyKnowledgeDocument>, input: DocumentInput) => {
    const reach = { ...EVERYWHERE, actor };
    const replaced = await service.replaceDocument(reach, params.id, params.document, input);
    return documentView(replaced, language);
  };
  register(
    addAnyKnowledgeDocument,
    async (input) => add(input, readDocumentBody(input.body, services)),
    async (input, form) => {
      // The base is checked first, so that nobody uploads megabytes to an address that does not exist.
      await service.getBase(EVERYWHERE, input.params.id);
      return add(input, await receiveFile(form, services, input.call));
    },
  );
  register(listAnyKnowledgeDocuments, async ({ params, query, language }) => {
    const { items, next } = await service.listDocuments(EVERYWHERE, params.id, query);
    return page(
      items.map((item) => documentView(item, language)),
      next,
    );
  });
  register(getAnyKnowledgeDocument, async ({ params, language }) =>
    documentView(await service.getDocument(EVERYWHERE, params.id, params.document), language),
  );
  register(
    replaceAnyKnowledgeDocument,
    async (input) => replace(input, readDocumentBody(input.body, services)),
    async (input, form) => {
      await service.getDocument(EVERYWHERE, input.params.id, input.params.document);
      return replace(input, await receiveFile(form, services, input.call));
    },
  );
  register(deleteAnyKnowledgeDocument, async ({ params, actor }) => {
    await service.deleteDocument({ ...EVERYWHERE, actor }, params.id, params.document);
    return { id: params.document, deleted: true };
  });
}
