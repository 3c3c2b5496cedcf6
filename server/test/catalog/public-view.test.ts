import { expect, it } from 'vitest';
import type { Model } from '../../src/catalog/model.ts';
import { listView, modelView } from '../../src/catalog/public-view.ts';

const model: Model = {
  id: 'acme/one',
  vendor: 'acme',
  name: 'One',
  kind: 'chat',
  routes: [],
  price: { version: 'v1', perUnit: { inputFresh: 15_000n, output: 60_000n, cacheRead: 7500n }, perRequest: 1_500_000n },
  context: 1000,
  maxOutput: undefined,
  capabilities: new Set(['vision', 'tools']),
  categories: ['popular'],
  created: 1_709_164_800,
  hedge: false,
  simulated: false,
};

it('a model is the union of the shapes that SDKs read', () => {
  expect(modelView(model)).toEqual({
    id: 'acme/one',
    object: 'model',
    created: 1_709_164_800,
    owned_by: 'acme',
    type: 'model',
    display_name: 'One',
    display_name_fa: null,
    created_at: '2024-02-29T00:00:00Z',
    kind: 'chat',
    context_length: 1000,
    max_output_tokens: null,
    capabilities: ['tools', 'vision'],
    categories: ['popular'],
    pricing: {
      currency: 'toman',
      per: 1_000_000,
      version: 'v1',
      input: 15_000,
      output: 60_000,
      cache_read: 7500,
      request: 1.5,
      prompt: '0.015',
      completion: '0.06',
    },
    price_change: null,
    simulated: false,
    proved: [],
    data_policies: [],
    withdrawn_from: null,
    name: 'One',
    canonical_slug: 'acme/one',
    architecture: {
      modality: 'text+image->text',
      input_modalities: ['text', 'image'],
      output_modalities: ['text'],
      tokenizer: 'Other',
      instruct_type: null,
    },
    top_provider: { context_length: 1000, max_completion_tokens: null, is_moderated: false },
    supported_parameters: [
      'max_completion_tokens',
      'max_tokens',
      'parallel_tool_calls',
      'stop',
      'temperature',
      'tool_choice',
      'tools',
      'top_p',
    ],
    supported_voices: null,
    per_request_limits: null,
    default_parameters: null,
    links: { details: '/api/v1/models/acme/one' },
    successor: null,
  });
});

it('a list carries the cursors of the second protocol', () => {
  const second = { ...model, id: 'acme/two' };
  expect(listView([model, second])).toMatchObject({
    object: 'list',
    has_more: false,
    first_id: 'acme/one',
    last_id: 'acme/two',
    total_count: 2,
    links: { next: null },
  });
  expect(listView([])).toMatchObject({ data: [], has_more: false, first_id: null, last_id: null, total_count: 0 });
});

it('an announced price is shown with its day', () => {
  const announced = { price: { ...model.price, version: 'p2' }, fromMs: Date.parse('2027-03-21T00:00:00Z') };
  expect(modelView({ ...model, announced })['price_change']).toMatchObject({
    from: '2027-03-21T00:00:00.000Z',
    pricing: { version: 'p2', input: 15000 },
  });
});
