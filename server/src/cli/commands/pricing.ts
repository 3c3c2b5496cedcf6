import type { JsonObject } from '../../core/json.ts';
import { UsageError } from '../arguments.ts';
import { type Context, modelSteps, type Noun, showList, showRecord, step, withoutUndefined } from '../command.ts';

const PRICES = [
  'input',
  'output',
  'cache-read',
  'cache-write-5m',
  'cache-write-1h',
  'reasoning',
  'audio-input',
  'audio-output',
  'image-input',
  'image-output',
  'images',
  'characters',
  'seconds',
  'searches',
  'web-search',
  'web-fetch',
  'file-search',
  'code-session',
  'image-tool-input',
  'image-tool-output',
  'request',
];

function priceOptions({ options }: Context): Record<string, unknown> {
  const prices = PRICES.map((name) => [name.replace(/-/g, '_'), options.amount(name) ?? undefined] as const);
  return withoutUndefined(Object.fromEntries(prices));
}

export const prices: Noun = {
  summary: 'what it costs, version by version',
  notes: [`Toman per million units: ${PRICES.map((name) => `--${name}`).join(' ')} (request: toman each)`],
  verbs: {
    set: {
      usage: 'set MODEL --input N --output N [...] [--effective-at TIME]',
      summary: 'a new version, now or announced',
      run: async (context) => {
        const price = priceOptions(context);
        if (Object.keys(price).length === 0) throw new UsageError('give at least one price, such as --input');
        const body = withoutUndefined({ price, effective_at: context.options.text('effective-at') });
        const answer = await context.api.call('POST', `/models/${modelSteps(context, 0)}/prices`, body);
        return showRecord(context, answer);
      },
    },
    history: {
      usage: 'history MODEL [--limit N]',
      summary: 'newest first',
      run: async (context) => {
        const limit = context.options.text('limit');
        const path = `/models/${modelSteps(context, 0)}/prices${limit === undefined ? '' : `?limit=${limit}`}`;
        return showList(context, await context.api.call('GET', path), [
          ['EFFECTIVE', 'effective_at'],
          ['INPUT', (row) => (row['price'] as JsonObject)['input']],
          ['OUTPUT', (row) => (row['price'] as JsonObject)['output']],
          ['RATE', 'exchange_rate'],
          ['MARGIN', 'margin'],
          ['OF', 'margin_layer'],
          ['SOURCE', 'source'],
          ['VERSION', 'version'],
        ]);
      },
    },
    unpin: {
      usage: 'unpin MODEL',
      summary: 'follow the list, the rate and the margins again',
      run: async (context) =>
        showRecord(context, await context.api.call('POST', `/models/${modelSteps(context, 0)}/prices/unpin`)),
    },
    withdraw: {
      usage: 'withdraw MODEL VERSION',
      summary: 'take an announced price back',
      run: async (context) => {
        const path = `/models/${modelSteps(context, 0)}/prices/${step(context, 1, 'VERSION')}`;
        return showRecord(context, await context.api.call('DELETE', path));
      },
    },
  },
};

/** Reads `--margin 0.1 [--vendor V | --model M]`; `--margin none` removes that of a vendor or model. */
function pricingBody({ options }: Context): Record<string, unknown> {
  const [margin, vendor, model] = [options.text('margin'), options.text('vendor'), options.text('model')];
  const layer = model !== undefined ? 'model' : vendor !== undefined ? 'vendor' : 'global';
  const subject = model ?? vendor;
  return withoutUndefined({
    exchange_rate: options.text('exchange-rate'),
    margins:
      margin === undefined
        ? undefined
        : [withoutUndefined({ layer, subject, margin: margin === 'none' ? null : margin })],
    effective_at: options.text('effective-at'),
  });
}

export const pricing: Noun = {
  summary: 'the exchange rate and the margins',
  notes: ['Margins: of all, --vendor VENDOR, --model MODEL; the most specific wins. `none` takes one away.'],
  verbs: {
    show: {
      usage: 'show',
      summary: 'rate, margins by layer, and what is announced',
      run: async (context) => showRecord(context, await context.api.call('GET', '/pricing')),
    },
    confirm: {
      usage: 'confirm --exchange-rate TOMAN --margin 0.1',
      summary: 'the rate and the margin in force are right: sales are open',
      run: async (context) => {
        const { options } = context;
        const body = { exchange_rate: options.text('exchange-rate'), margin: options.text('margin') };
        if (body.exchange_rate === undefined || body.margin === undefined)
          throw new UsageError('give both --exchange-rate and --margin, as `pricing show` tells them');
        return showRecord(context, await context.api.call('POST', '/selling/confirm', body));
      },
    },
    preview: {
      usage: 'preview [--exchange-rate TOMAN] [--margin 0.1|none [--vendor V|--model M]] [--effective-at TIME]',
      summary: 'every price before and after; nothing is written',
      run: async (context) => {
        const { changes } = (await context.api.call('POST', '/pricing/preview', pricingBody(context))) as JsonObject;
        return showList(context, { object: 'list', data: changes ?? [] }, [
          ['MODEL', 'model'],
          ['INPUT', (row) => (row['old'] as JsonObject | null)?.['input']],
          ['NEW', (row) => (row['new'] as JsonObject)['input']],
          ['OUTPUT', (row) => (row['old'] as JsonObject | null)?.['output']],
          ['NEW ', (row) => (row['new'] as JsonObject)['output']],
          ['%', 'change_percent'],
          ['FROM', 'from'],
        ]);
      },
    },
    change: {
      usage: 'change [--exchange-rate TOMAN] [--margin 0.1|none [--vendor V|--model M]] [--effective-at TIME]',
      summary: 'now, or announced for a date',
      run: async (context) => showRecord(context, await context.api.call('POST', '/pricing', pricingBody(context))),
    },
    withdraw: {
      usage: 'withdraw ID',
      summary: 'take an announced rate or margin back, with its prices',
      run: async (context) =>
        showRecord(context, await context.api.call('DELETE', `/pricing/announced/${step(context, 0, 'ID')}`)),
    },
    account: {
      usage: 'account ACCOUNT --margin 0.1|none',
      summary: "an account's own margin",
      run: async (context) => {
        const margin = context.options.need('margin');
        const path = `/accounts/${step(context, 0, 'ACCOUNT')}/margin`;
        return showRecord(context, await context.api.call('PUT', path, { margin: margin === 'none' ? null : margin }));
      },
    },
  },
};

export function priceOf(row: JsonObject): JsonObject {
  const version = row['price'] as JsonObject | null;
  return (version?.['price'] ?? {}) as JsonObject;
}
