/** `dargah models …`, `prices`, `groups`, `providers`, `catalog`. */
import { readFile } from 'node:fs/promises';
import { type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { UsageError } from '../arguments.ts';
import {
  bodyOption,
  type Context,
  modelSteps,
  type Noun,
  secretOption,
  showList,
  showRecord,
  step,
  withoutUndefined,
} from '../command.ts';
import { testProvider } from './operations.ts';

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
  'images',
  'characters',
  'seconds',
  'request',
];

function priceOptions({ options }: Context): Record<string, unknown> {
  const given = PRICES.map((name) => [name.replace(/-/g, '_'), options.amount(name) ?? undefined] as const);
  return withoutUndefined(Object.fromEntries(given));
}

export const models: Noun = {
  summary: 'what is offered',
  verbs: {
    list: {
      usage: 'list',
      summary: 'all models with price and routes',
      run: async (context) =>
        showList(context, await context.api.call('GET', '/models'), [
          ['ID', 'id'],
          ['KIND', 'kind'],
          ['INPUT', (row) => priceOf(row)['input']],
          ['OUTPUT', (row) => priceOf(row)['output']],
          ['ROUTES', (row) => (row['routes'] as JsonObject[]).map((route) => String(route['provider']))],
          ['ON', 'enabled'],
          ['MANAGED BY', 'managed_by'],
        ]),
    },
    show: {
      usage: 'show MODEL',
      summary: 'one model',
      run: async (context) => showRecord(context, await context.api.call('GET', `/models/${modelSteps(context, 0)}`)),
    },
    create: {
      usage: `create --body JSON|@FILE`,
      summary: 'a model as in the YAML file: id, routes, price, context, …',
      run: async (context) => showRecord(context, await context.api.call('POST', '/models', await bodyOption(context))),
    },
    change: {
      usage: 'change MODEL [--enabled true|false] [--name NAME] [--body JSON|@FILE]',
      summary: 'facts of a model; prices and routes have their own commands',
      run: async (context) => {
        const { options } = context;
        const given = withoutUndefined({ enabled: options.flag('enabled'), name: options.text('name') });
        const body = { ...(await bodyOption(context)), ...given };
        return showRecord(context, await context.api.call('PATCH', `/models/${modelSteps(context, 0)}`, body));
      },
    },
    delete: {
      usage: 'delete MODEL',
      summary: "remove one of the operator's own",
      run: async (context) =>
        showRecord(context, await context.api.call('DELETE', `/models/${modelSteps(context, 0)}`)),
    },
    route: {
      usage: 'route MODEL --provider ID --model NAME [--priority N] [--weight N] [--remove true]',
      summary: 'add, replace or remove a route',
      run: async (context) => {
        const { options } = context;
        const [provider, model] = [options.need('provider'), options.need('model')];
        const path = `/models/${modelSteps(context, 0)}/routes`;
        if (options.flag('remove')) {
          const place = new URLSearchParams({ provider, model });
          return showRecord(context, await context.api.call('DELETE', `${path}?${place}`));
        }
        const body = withoutUndefined({
          provider,
          model,
          priority: options.limit('priority'),
          weight: options.limit('weight'),
        });
        return showRecord(context, await context.api.call('PUT', path, body));
      },
    },
  },
};

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

/** `--margin 0.1 [--vendor V | --model M]`; `--margin none` takes that of a vendor or model away. */
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

export const groups: Noun = {
  summary: 'models under one name',
  verbs: {
    list: {
      usage: 'list',
      summary: 'all groups',
      run: async (context) =>
        showList(context, await context.api.call('GET', '/groups'), [
          ['ID', 'id'],
          ['DEFAULT', 'default'],
          ['MANAGED BY', 'managed_by'],
          ['MODELS', 'models'],
        ]),
    },
    put: {
      usage: 'put ID --models a/b,c/d [--default a/b] [--name NAME] [--name-fa NAME]',
      summary: 'make or replace a group',
      run: async (context) => {
        const { options } = context;
        const body = withoutUndefined({
          models: options.list('models') ?? undefined,
          default: options.text('default'),
          name: options.text('name'),
          name_fa: options.text('name-fa'),
        });
        return showRecord(context, await context.api.call('PUT', `/groups/${step(context, 0, 'ID')}`, body));
      },
    },
    delete: {
      usage: 'delete ID',
      summary: 'remove a group',
      run: async (context) =>
        showRecord(context, await context.api.call('DELETE', `/groups/${step(context, 0, 'ID')}`)),
    },
  },
};

export const providers: Noun = {
  summary: 'who is called',
  notes: ['A secret given as `-` is read from standard input, so that it stands in no process list.'],
  verbs: {
    test: testProvider,
    list: {
      usage: 'list',
      summary: 'all providers; secrets are never shown',
      run: async (context) =>
        showList(context, await context.api.call('GET', '/providers'), [
          ['ID', 'id'],
          ['VENDOR', 'vendor'],
          ['PROTOCOL', 'protocol'],
          ['ADDRESS', 'base_url'],
          ['SECRETS', (row) => (row['credentials'] as JsonObject[]).length],
          ['ON', 'enabled'],
          ['MANAGED BY', 'managed_by'],
        ]),
    },
    show: {
      usage: 'show ID',
      summary: 'one provider',
      run: async (context) =>
        showRecord(context, await context.api.call('GET', `/providers/${step(context, 0, 'ID')}`)),
    },
    create: {
      usage: 'create ID [--vendor VENDOR] [--protocol P] [--base-url URL] [--api-key KEY|-] [--body JSON|@FILE]',
      summary: 'add a provider',
      run: async (context) => {
        const { options } = context;
        const given = withoutUndefined({
          id: context.words[0],
          vendor: options.text('vendor'),
          protocol: options.text('protocol'),
          base_url: options.text('base-url'),
          api_key: await secretOption(context, 'api-key'),
        });
        const body = { ...(await bodyOption(context)), ...given };
        return showRecord(context, await context.api.call('POST', '/providers', body));
      },
    },
    change: {
      usage: 'change ID [--enabled true|false] [--base-url URL] [--body JSON|@FILE]',
      summary: 'change or disable a provider',
      run: async (context) => {
        const { options } = context;
        const given = withoutUndefined({ enabled: options.flag('enabled'), base_url: options.text('base-url') });
        const body = { ...(await bodyOption(context)), ...given };
        return showRecord(context, await context.api.call('PATCH', `/providers/${step(context, 0, 'ID')}`, body));
      },
    },
    delete: {
      usage: 'delete ID',
      summary: "remove one of the operator's own",
      run: async (context) =>
        showRecord(context, await context.api.call('DELETE', `/providers/${step(context, 0, 'ID')}`)),
    },
    'add-secret': {
      usage: 'add-secret ID --secret KEY|- [--label NAME]',
      summary: 'add a secret to spread load over',
      run: async (context) => {
        const secret = await secretOption(context, 'secret');
        const path = `/providers/${step(context, 0, 'ID')}/credentials`;
        const body = withoutUndefined({ secret, label: context.options.text('label') });
        return showRecord(context, await context.api.call('POST', path, body));
      },
    },
    'remove-secret': {
      usage: 'remove-secret ID CREDENTIAL',
      summary: 'take a secret away',
      run: async (context) => {
        const path = `/providers/${step(context, 0, 'ID')}/credentials/${step(context, 1, 'CREDENTIAL')}`;
        return showRecord(context, await context.api.call('DELETE', path));
      },
    },
  },
};

/** The list at an address or in a file, shown with what it would change. */
async function proposed({ api }: Context, from: string): Promise<JsonObject> {
  const isAddress = /^https?:/.test(from);
  const document = isAddress ? undefined : parseTrustedJson(await readFile(from, 'utf8'));
  if (!isAddress && document === undefined) throw new UsageError(`${from} is not JSON`);
  return api.call('POST', '/catalog/lists', isAddress ? { url: from } : { document });
}

export const catalog: Noun = {
  summary: 'list and price everything anew',
  notes: ['A list has the format of docs/reference/price-list.md. Without --apply it is only shown.'],
  verbs: {
    lists: {
      usage: 'lists',
      summary: 'lists that were read, and what each would change now',
      run: async (context) =>
        showList(context, await context.api.call('GET', '/catalog/lists'), [
          ['ID', 'id'],
          ['ORIGIN', 'origin'],
          ['STATE', 'state'],
          ['MODELS', 'models'],
          ['NEW', (row) => (row['added'] as unknown[]).length],
          ['WITHDRAWN', (row) => (row['withdrawn'] as unknown[]).length],
          ['CHANGED', (row) => (row['changed'] as unknown[]).length],
        ]),
    },
    shipped: {
      usage: 'shipped',
      summary: 'use the shipped list again',
      run: async (context) => showRecord(context, await context.api.call('DELETE', '/catalog/lists')),
    },
    providers: {
      usage: 'providers',
      summary: "ask the providers' own lists: what is gone there, what is new there",
      run: async (context) =>
        showList(context, await context.api.call('POST', '/catalog/providers'), [
          ['PROVIDER', 'provider'],
          ['MISSING', 'missing'],
          ['UNLISTED', 'unlisted'],
          ['PROBLEM', 'problem'],
        ]),
    },
    refresh: {
      usage: 'refresh [--from URL|FILE [--apply true] [--insist true]] [--exchange-rate TOMAN] [--margin 0.1]',
      summary:
        'with --from: by that list; with a rate or margin: by it from now on. Without a running server, run it with the server’s variables',
      run: async (context) => {
        const { options } = context;
        const from = options.text('from');
        if (from !== undefined) {
          const shown = await proposed(context, from);
          if (!options.flag('apply')) return showRecord(context, shown);
          const body = { insist: options.flag('insist') ?? false };
          const path = `/catalog/lists/${String(shown['id'])}/apply`;
          return showRecord(context, await context.api.call('POST', path, body));
        }
        const body = withoutUndefined({ exchange_rate: options.text('exchange-rate'), margin: options.text('margin') });
        return showRecord(context, await context.api.call('POST', '/catalog/refresh', body));
      },
    },
  },
};

function priceOf(row: JsonObject): JsonObject {
  const version = row['price'] as JsonObject | null;
  return (version?.['price'] ?? {}) as JsonObject;
}
