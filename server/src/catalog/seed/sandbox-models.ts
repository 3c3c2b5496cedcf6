/**
 * The simulators of the sandbox vendor. Their prices are small but not zero, so that a first try shows real accounting;
 * one is free, so that a new account without credit gets its first answer.
 */
import { findVendor } from '../../vendors/index.ts';
import type { ModelKind } from '../model.ts';
import { BUCKET_OF_FIELD, type PriceField } from '../prices/price-fields.ts';
import type { Declaration, DeclaredModel } from './declared.ts';
import { declareProvider } from './switched-on.ts';

const EVERY_CHAT_SHELF = ['popular', 'coding', 'content-generation', 'economical', 'vision', 'reasoning'];
const EVERY_CHAT_SKILL = ['json_object', 'json_schema', 'reasoning', 'streaming', 'tools', 'vision'];

export function sandboxDeclaration(): Declaration {
  const vendor = findVendor('sandbox');
  if (!vendor?.baseUrl) throw new Error('the sandbox vendor is missing from the list of vendors');
  return {
    providers: [
      declareProvider(vendor, vendor.baseUrl, []),
      { ...declareProvider(vendor, vendor.baseUrl, []), id: 'sandbox-responses', protocol: 'openai-responses' },
      { ...declareProvider(vendor, vendor.baseUrl, []), id: 'sandbox-messages', protocol: 'anthropic-messages' },
    ],
    models: [
      simulator(
        'echo',
        'chat',
        ['Sandbox Echo (simulated)', 'پژواک آزمایشی (شبیه‌سازی)'],
        { input: 1000, output: 4000, cache_read: 500 },
        {
          context: 128_000,
          maxOutput: 16_384,
          capabilities: EVERY_CHAT_SKILL,
          categories: EVERY_CHAT_SHELF,
        },
      ),
      simulator(
        'hello',
        'chat',
        ['Sandbox Hello (simulated, free)', 'سلام آزمایشی (شبیه‌سازی، رایگان)'],
        { input: 0, output: 0 },
        {
          context: 8192,
          maxOutput: 1024,
          capabilities: ['streaming'],
          categories: ['economical'],
        },
      ),
      simulator(
        'quote',
        'chat',
        ['Sandbox Quote (simulated)', 'نقل‌قول آزمایشی (شبیه‌سازی)'],
        { input: 1000, output: 4000 },
        {
          context: 128_000,
          maxOutput: 16_384,
          capabilities: ['streaming'],
          categories: ['economical'],
        },
      ),
      toolsSimulator(),
      simulator(
        'embed',
        'embedding',
        ['Sandbox Embed (simulated)', 'بردارساز آزمایشی (شبیه‌سازی)'],
        { input: 200 },
        { context: 8192 },
      ),
      simulator(
        'rerank',
        'rerank',
        ['Sandbox Rerank (simulated)', 'بازرتبه‌بند آزمایشی (شبیه‌سازی)'],
        { searches: 20_000_000 },
        { context: 8192 },
      ),
      simulator(
        'moderate',
        'moderation',
        ['Sandbox Moderate (simulated)', 'بررسی محتوای آزمایشی (شبیه‌سازی)'],
        { input: 100 },
        { context: 32_768, capabilities: ['vision'] },
      ),
      simulator(
        'image',
        'image',
        ['Sandbox Image (simulated)', 'تصویر آزمایشی (شبیه‌سازی)'],
        { images: 50_000_000 },
        { capabilities: ['vision'] },
      ),
      ...soundSimulators(),
    ],
    groups: [],
  };
}

function soundSimulators(): DeclaredModel[] {
  return [
    simulator(
      'speech',
      'speech',
      ['Sandbox Speech (simulated)', 'گفتار آزمایشی (شبیه‌سازی)'],
      { characters: 20_000 },
      { categories: ['audio'] },
    ),
    simulator(
      'transcribe',
      'transcription',
      ['Sandbox Transcribe (simulated)', 'پیاده‌سازی گفتار آزمایشی (شبیه‌سازی)'],
      { seconds: 500_000 },
      { categories: ['audio'] },
    ),
    simulator(
      'realtime',
      'realtime',
      ['Sandbox Realtime (simulated)', 'مکالمهٔ زندهٔ آزمایشی (شبیه‌سازی)'],
      { input: 1000, output: 4000, cache_read: 100, audio_input: 8000, audio_output: 16_000, audio_cache_read: 200 },
      { context: 32_000, maxOutput: 4096, categories: ['audio'] },
    ),
  ];
}

function simulator(
  name: string,
  kind: ModelKind,
  [english, persian]: [string, string],
  price: Partial<Record<PriceField, number>>,
  more: Partial<DeclaredModel>,
): DeclaredModel {
  const perUnit: DeclaredModel['rates']['perUnit'] = {};
  for (const [field, toman] of Object.entries(price)) perUnit[BUCKET_OF_FIELD[field as PriceField]] = BigInt(toman);
  return {
    id: `sandbox/${name}`,
    kind,
    name: english,
    nameFa: persian,
    context: undefined,
    maxOutput: undefined,
    capabilities: [],
    categories: [],
    hedge: false,
    simulated: true,
    rates: { perUnit, perRequest: 0n },
    routes: [{ provider: 'sandbox', model: name, priority: 1, weight: 1, quirks: {}, cost: undefined }],
    ...more,
  };
}

/**
 * Tools of its own are run by a speaker of the protocol that has them, so it has a route in each; and tiers at prices of their own.
 * Ten toman a search, two a page, thirty a session.
 */
function toolsSimulator(): DeclaredModel {
  const model = simulator(
    'tools',
    'chat',
    ['Sandbox Tools (simulated)', 'ابزار آزمایشی (شبیه‌سازی)'],
    { input: 1000, output: 4000, web_search: 10_000_000, web_fetch: 2_000_000, code_session: 30_000_000 },
    { context: 128_000, maxOutput: 16_384, capabilities: ['streaming'] },
  );
  const routes = model.routes.flatMap((route) => [
    { ...route, provider: 'sandbox-responses' },
    { ...route, provider: 'sandbox-messages' },
  ]);
  return { ...model, routes, rates: { ...model.rates, serviceTiers: { flex: 500n, priority: 2_000n, fast: 6_000n } } };
}
