import type { JsonObject } from '../../core/json.ts';
import { bodyOption, type Noun, secretOption, showList, showRecord, step, withoutUndefined } from '../command.ts';
import { testProvider } from './operations.ts';

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
        const input = withoutUndefined({
          id: context.words[0],
          vendor: options.text('vendor'),
          protocol: options.text('protocol'),
          base_url: options.text('base-url'),
          api_key: await secretOption(context, 'api-key'),
        });
        const body = { ...(await bodyOption(context)), ...input };
        return showRecord(context, await context.api.call('POST', '/providers', body));
      },
    },
    change: {
      usage: 'change ID [--enabled true|false] [--base-url URL] [--body JSON|@FILE]',
      summary: 'change or disable a provider',
      run: async (context) => {
        const { options } = context;
        const input = withoutUndefined({ enabled: options.flag('enabled'), base_url: options.text('base-url') });
        const body = { ...(await bodyOption(context)), ...input };
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
