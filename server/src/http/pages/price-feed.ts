/** Changes of prices as a feed (Atom), for readers of feeds and programs that watch prices. */
import type { Language, Text } from '@dargah/core/text.ts';
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { FastifyInstance } from 'fastify';
import type { Brand } from '../../branding/index.ts';
import type { CatalogSnapshot, PriceChange, PriceQuestion } from '../../catalog/index.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { type Price, unitPrice } from '../../core/price.ts';
import { modelPath } from './catalog/catalog-row.ts';
import { KeptFact } from './kept-fact.ts';
import { escapedXml } from './xml.ts';

const MAX_ENTRIES = 100;
const LANGUAGES = ['fa', 'en'] as const;

const TEXTS = {
  title: { fa: 'تغییر قیمت مدل‌ها', en: 'Changes of prices' },
  input: { fa: 'ورودی', en: 'Input' },
  output: { fa: 'خروجی', en: 'Output' },
  unit: { fa: 'تومان برای هر میلیون توکن', en: 'toman per million tokens' },
  first: { fa: 'قیمت اول', en: 'First price' },
  tiers: { fa: 'برای پرسش‌های بلند پله‌های دیگری هم دارد.', en: 'Longer prompts have tiers of their own.' },
} satisfies Record<string, Text>;

export interface PriceFeedSources {
  clock: Clock;
  brand(): Brand;
  catalog(): CatalogSnapshot;
  priceChanges(question: PriceQuestion): Promise<PriceChange[]>;
  publicUrl: string | undefined;
}

export function priceFeeds(app: FastifyInstance, { clock, brand, catalog, priceChanges, publicUrl }: PriceFeedSources) {
  const changes = new KeptFact(clock, MINUTE_MS, () => {
    const shown = [...catalog().models.values()].filter(({ simulated }) => !simulated);
    return priceChanges({ models: shown.map(({ id }) => id), sinceMs: 0, limit: MAX_ENTRIES });
  });
  for (const language of LANGUAGES)
    app.get(`/${language}/prices.atom`, async (_request, reply) => {
      // Every entry has an address of its own, which needs one of ours.
      if (publicUrl === undefined) throw new GatewayError('not_found');
      const known = (await changes.get()) ?? [];
      return reply
        .type('application/atom+xml; charset=utf-8')
        .header('cache-control', 'public, max-age=60')
        .send(feed(known, { site: publicUrl, language, name: brand().name[language], nowMs: clock.now() }));
    });
}

interface FeedView {
  site: string;
  language: Language;
  name: string;
  nowMs: number;
}

function feed(changes: readonly PriceChange[], view: FeedView): string {
  const { site, language, name, nowMs } = view;
  const own = `${site}/${language}/prices.atom`;
  // An announced price is told when it is announced: its date is in its text, and no entry is newer than the feed.
  const updated = Math.min(nowMs, changes[0]?.fromMs ?? 0);
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<title>${escapedXml(`${name} · ${TEXTS.title[language]}`)}</title>
<id>${escapedXml(own)}</id>
<link rel="self" href="${escapedXml(own)}"/>
<link rel="alternate" type="text/html" href="${escapedXml(`${site}/${language}/catalog`)}"/>
<author><name>${escapedXml(name)}</name></author>
<updated>${new Date(updated).toISOString()}</updated>
${changes.map((change) => entry(change, view)).join('\n')}
</feed>
`;
}

function entry({ modelId, price, before, fromMs }: PriceChange, { site, language, nowMs }: FeedView): string {
  const address = escapedXml(`${site}/${language}${modelPath(modelId)}`);
  const from = new Date(fromMs).toISOString();
  const lines = (['input', 'output'] as const).map((side) => sideText(side, price, before, language));
  const title = `${modelId}: ${before === undefined ? TEXTS.first[language] : lines.join(' · ')}`;
  const text = [...lines, TEXTS.unit[language], from, ...(price.tiers ? [TEXTS.tiers[language]] : [])].join(' · ');
  return `<entry><title>${escapedXml(title)}</title><id>${address}#${escapedXml(price.version)}</id><link href="${address}"/><updated>${new Date(Math.min(fromMs, nowMs)).toISOString()}</updated><content type="text">${escapedXml(text)}</content></entry>`;
}

function sideText(side: 'input' | 'output', price: Price, before: Price | undefined, language: Language): string {
  const bucket = side === 'input' ? 'inputFresh' : 'output';
  const now = unitPrice(price, bucket);
  const then = before && unitPrice(before, bucket);
  const numbers = then === undefined || then === now ? `${now}` : `${then} → ${now}`;
  return `${TEXTS[side][language]} ${numbers}`;
}
