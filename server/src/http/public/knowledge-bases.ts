/** `/api/v1/knowledge_bases`: an account's own bases, as far as the key may use them. Free, like everything that only keeps. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Answer, jsonAnswer } from '../../core/answer.ts';
import { admitFree, type Call, readJsonBody } from '../../gateway/index.ts';
import type { DocumentInput, Reach } from '../../knowledge/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { BaseChange, NewBase, NewDocument, SearchOrder } from '../knowledge-shapes.ts';
import { baseView, documentView, searchView } from '../knowledge-views.ts';
import { closed, PAGE_QUERY, page } from '../openapi/building-blocks.ts';
import { compileGate, type Gate } from '../openapi/gate.ts';
import { isForm, type KnowledgeEndpoints, readDocumentBody, receiveFile } from '../receive-document.ts';
import { throwAwayRest } from '../receive-form.ts';
import { readQuery } from '../routes/read-query.ts';
import { type Serving, serve } from '../serve.ts';

const checkNewBase: Gate<typeof NewBase> = compileGate(NewBase);
const checkChange: Gate<typeof BaseChange> = compileGate(BaseChange);
const checkDocument: Gate<typeof NewDocument> = compileGate(NewDocument);
const checkSearch: Gate<typeof SearchOrder> = compileGate(SearchOrder);
const PageQuery = closed(PAGE_QUERY);
const checkPage: Gate<typeof PageQuery> = compileGate(PageQuery, 'query');

type Ids = { id: string; document: string };
type Work = (reach: Reach & { accountId: string }, call: Call, request: FastifyRequest) => Promise<Answer>;
const root = '/api/v1/knowledge_bases';

export function knowledgeBases(
  app: FastifyInstance,
  serving: Serving,
  codec: ClientCodec,
  endpoints: KnowledgeEndpoints,
): void {
  const { service } = endpoints;
  const answer = (work: Work) =>
    serve(serving, 'knowledge_bases', codec, async (call, request) => {
      const key = await admitFree(call, serving.gw);
      return work({ accountId: key.account.id, baseIds: key.rules.knowledgeBases, key }, call, request);
    });

  app.post(
    root,
    answer(async (reach, call) => {
      const body: unknown = readJsonBody(call);
      checkNewBase(body);
      return jsonAnswer(
        baseView(await service.createBase(reach, { name: body.name, embeddingModel: body.embedding_model ?? null })),
        201,
      );
    }),
  );
  app.get(
    root,
    answer(async (reach, _call, request) => {
      const { items, next } = await service.listBases(reach, pageOf(request));
      return jsonAnswer(page(items.map(baseView), next));
    }),
  );
  app.get(
    `${root}/:id`,
    answer(async (reach, _call, request) => jsonAnswer(baseView(await service.getBase(reach, idsOf(request).id)))),
  );
  app.patch(
    `${root}/:id`,
    answer(async (reach, call, request) => {
      const body: unknown = readJsonBody(call);
      checkChange(body);
      return jsonAnswer(baseView(await service.renameBase(reach, idsOf(request).id, body.name)));
    }),
  );
  app.delete(
    `${root}/:id`,
    answer(async (reach, _call, request) => {
      const { id } = idsOf(request);
      await service.deleteBase(reach, id);
      return jsonAnswer({ id, deleted: true });
    }),
  );
  app.post(
    `${root}/:id/search`,
    answer(async (reach, call, request) => {
      const body: unknown = readJsonBody(call);
      checkSearch(body);
      return jsonAnswer(searchView(await service.search(reach, idsOf(request).id, body.query, body.limit ?? 10)));
    }),
  );
  documents(app, answer, endpoints);
}

function documents(
  app: FastifyInstance,
  answer: (work: Work) => ReturnType<typeof serve>,
  endpoints: KnowledgeEndpoints,
): void {
  const { service } = endpoints;
  const path = `${root}/:id/documents`;
  app.get(
    path,
    answer(async (reach, call, request) => {
      const { items, next } = await service.listDocuments(reach, idsOf(request).id, pageOf(request));
      return jsonAnswer(
        page(
          items.map((item) => documentView(item, call.language)),
          next,
        ),
      );
    }),
  );
  app.get(
    `${path}/:document`,
    answer(async (reach, call, request) => {
      const { id, document } = idsOf(request);
      return jsonAnswer(documentView(await service.getDocument(reach, id, document), call.language));
    }),
  );
  app.delete(
    `${path}/:document`,
    answer(async (reach, _call, request) => {
      const { id, document } = idsOf(request);
      await service.deleteDocument(reach, id, document);
      return jsonAnswer({ id: document, deleted: true });
    }),
  );
  // A context of its own: a form is left on the wire until the caller and the base are known.
  app.register(async (scope) => {
    scope.addContentTypeParser(/^multipart\//, (_request, _payload, done) => done(null));
    scope.post(
      path,
      answer(async (reach, call, request) => {
        const { id } = idsOf(request);
        const given = await receive(call, request, endpoints, () => service.getBase(reach, id));
        const { document, changed } = await service.addDocument(reach, id, given);
        return jsonAnswer(documentView(document, call.language), changed ? 202 : 200);
      }),
    );
    scope.put(
      `${path}/:document`,
      answer(async (reach, call, request) => {
        const { id, document } = idsOf(request);
        const given = await receive(call, request, endpoints, () => service.getDocument(reach, id, document));
        return jsonAnswer(documentView(await service.replaceDocument(reach, id, document, given), call.language), 202);
      }),
    );
  });
}

/** `exists` is asked first: nobody should send megabytes to an address that is not there. */
async function receive(
  call: Call,
  request: FastifyRequest,
  endpoints: KnowledgeEndpoints,
  exists: () => Promise<unknown>,
): Promise<DocumentInput> {
  if (!isForm(call.contentType)) {
    const body: unknown = readJsonBody(call);
    checkDocument(body);
    return readDocumentBody(body, endpoints);
  }
  try {
    await exists();
    return await receiveFile(request.raw, endpoints);
  } finally {
    throwAwayRest(request.raw);
  }
}

function idsOf(request: FastifyRequest): Ids {
  return request.params as Ids;
}

function pageOf(request: FastifyRequest): { after?: string; limit?: number } {
  const query: unknown = readQuery(request.query as Record<string, unknown>, PageQuery);
  checkPage(query);
  return query;
}
