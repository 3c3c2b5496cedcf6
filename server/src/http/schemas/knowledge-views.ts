/** Knowledge bases as answers show them. */
import type { Language } from '../../core/text.ts';
import {
  type CutOut,
  excerptOf,
  type KnowledgeBase,
  type KnowledgeDocument,
  type ScoredPassage,
} from '../../knowledge/index.ts';

export function baseView(base: KnowledgeBase) {
  return {
    object: 'knowledge_base',
    id: base.id,
    account_id: base.accountId,
    name: base.name,
    embedding_model: base.embeddingModel,
    documents: base.documents,
    passages: base.passages,
    bytes: base.bytes,
    created_at: base.createdAt.toISOString(),
    updated_at: base.updatedAt.toISOString(),
  };
}

export function documentView(document: KnowledgeDocument, language: Language) {
  return {
    object: 'knowledge_document',
    id: document.id,
    knowledge_base_id: document.baseId,
    name: document.name,
    source: document.source,
    url: document.url,
    bytes: document.bytes,
    state: document.state,
    progress: document.progress,
    reason: document.reason?.[language] ?? null,
    passages: document.passages,
    revision: document.revision,
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
  };
}

export function passageView({ ordinal, page, heading, text, tokens }: CutOut) {
  return { object: 'knowledge_passage', place: ordinal + 1, page, heading, text, tokens };
}

export function searchView(passages: readonly ScoredPassage[]) {
  return {
    object: 'list',
    data: passages.map((passage) => ({
      knowledge_base_id: passage.baseId,
      document_id: passage.documentId,
      title: passage.documentName,
      ...(passage.page !== null && { page: passage.page }),
      ...(passage.heading !== null && { heading: passage.heading }),
      ...(passage.documentUrl !== null && { url: passage.documentUrl }),
      text: passage.text,
      excerpt: excerptOf(passage.text),
      tokens: passage.tokens,
      score: Math.round(passage.score * 10_000) / 10_000,
    })),
  };
}
