/** The endpoint that asks a model of a kind, for samples: its example with the model's own name is a request that works. */
import type { ModelKind } from '@dargah/core/model-kinds.ts';
import type { RouteDescription } from '../describe-route.ts';
import { createImage } from './images.ts';
import { createModeration } from './moderations.ts';
import { createRerank } from './rerank.ts';

export const ENDPOINT_OF_KIND: Partial<Record<ModelKind, RouteDescription>> = {
  rerank: createRerank,
  moderation: createModeration,
  image: createImage,
};
