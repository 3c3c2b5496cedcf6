/** `dargah models …`, `groups`, `catalog`. */
import { readFile } from 'node:fs/promises';
import { type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { UsageError } from '../arguments.ts';
import {
  bodyOption,
  type Context,
  modelSteps,
  type Noun,
  showList,
  showRecord,
  step,
  withoutUndefined,
} from '../command.ts';
import { priceOf } from './pricing.ts';

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
        const input = withoutUndefined({ enabled: options.flag('enabled'), name: options.text('name') });
        const body = { ...(await bodyOption(context)), ...input };
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

/** Reads the price list from an address or a file and shows what it would change. */
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
          ['FROM', 'effective_at'],
          ['MODELS', 'models'],
          ['NEW', (row) => (row['added'] as unknown[]).length],
          ['WITHDRAWN', (row) => (row['withdrawn'] as unknown[]).length],
          ['CHANGED', (row) => (row['changed'] as unknown[]).length],
        ]),
    },
    withdraw: {
      usage: 'withdraw LIST',
      summary: 'take an announced list back',
      run: async (context) =>
        showRecord(
          context,
          await context.api.call('DELETE', `/catalog/lists/${step(context, 0, 'LIST')}/announcement`),
        ),
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
      usage:
        'refresh [--from URL|FILE [--apply true] [--effective-at TIME] [--insist true]] [--exchange-rate TOMAN] [--margin 0.1]',
      summary:
        'with --from: by that list; with a rate or margin: by it from now on. Without a running server, run it with the server’s variables',
      run: async (context) => {
        const { options } = context;
        const from = options.text('from');
        if (from !== undefined) {
          // Options are read before the list is sent, because sending refuses options that were never read.
          const apply = options.flag('apply') ?? false;
          const terms = withoutUndefined({
            insist: options.flag('insist') ?? false,
            effective_at: options.text('effective-at'),
          });
          const shown = await proposed(context, from);
          if (!apply) return showRecord(context, shown);
          const path = `/catalog/lists/${String(shown['id'])}/apply`;
          return showRecord(context, await context.api.call('POST', path, terms));
        }
        const body = withoutUndefined({ exchange_rate: options.text('exchange-rate'), margin: options.text('margin') });
        return showRecord(context, await context.api.call('POST', '/catalog/refresh', body));
      },
    },
  },
};
