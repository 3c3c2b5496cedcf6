export type { Embedder, EmbeddingOrder } from './embedder.ts';
export { excerptOf } from './ground/ground-request.ts';
export type { ScoredPassage } from './retrieve/fuse.ts';
export type { DocumentInput, KnowledgeService, Reach } from './service.ts';
export type { KnowledgeLimits } from './settings.ts';
export { type Knowledge, startKnowledge } from './start.ts';
export type { KnowledgeBase } from './store/base-rows.ts';
export type { KnowledgeDocument } from './store/document-rows.ts';
export type { CutOut } from './store/passage-rows.ts';
