/** `dargah keys …`. */
import { KEY_RULE_FIELDS } from '@dargah/core/fields/index.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  type Command,
  type Context,
  type Noun,
  query,
  showList,
  showRecord,
  step,
  withoutUndefined,
} from '../command.ts';
import { optionsHelp, typedFields } from '../field-options.ts';
import { LIFTING_NOTE } from './accounts.ts';

function keyBody({ options }: Context): Record<string, unknown> {
  return withoutUndefined({ name: options.text('name'), rules: typedFields(KEY_RULE_FIELDS, options) });
}

const act = (verb: string, summary: string): Command => ({
  usage: `${verb} ID`,
  summary,
  run: async (context) =>
    showRecord(context, await context.api.call('POST', `/keys/${step(context, 0, 'ID')}/${verb}`)),
});

export const keys: Noun = {
  summary: 'API keys and their rules',
  notes: [`Rules: ${optionsHelp(KEY_RULE_FIELDS)}`, LIFTING_NOTE],
  verbs: {
    create: {
      usage: 'create ACCOUNT --name NAME [rules]',
      summary: 'make a key; its text is shown once',
      run: async (context) => {
        const body = { account_id: context.words[0] ?? context.options.need('account'), ...keyBody(context) };
        return showRecord(context, await context.api.call('POST', '/keys', body));
      },
    },
    list: {
      usage: 'list [--account-id ID] [--limit N] [--after CURSOR]',
      summary: 'newest first',
      run: async (context) =>
        showList(context, await context.api.call('GET', `/keys${query(context, 'account-id')}`), [
          ['ID', 'id'],
          ['ACCOUNT', 'account_id'],
          ['NAME', 'name'],
          ['KEY', (row) => `${row['prefix']}…${row['last4']}`],
          ['STATE', stateOf],
          ['MANAGED BY', 'managed_by'],
        ]),
    },
    show: {
      usage: 'show ID',
      summary: 'one key with its rules',
      run: async (context) => showRecord(context, await context.api.call('GET', `/keys/${step(context, 0, 'ID')}`)),
    },
    spend: {
      usage: 'spend ID',
      summary: 'spent and held per period',
      run: async (context) => {
        const answer = await context.api.call('GET', `/keys/${step(context, 0, 'ID')}/spend`);
        if (context.json) return showRecord(context, answer);
        return showList(context, { data: answer['spend'] ?? [] }, [
          ['PERIOD', 'period'],
          ['LIMIT', 'limit'],
          ['SPENT', 'spent'],
          ['HELD', 'held'],
          ['RESETS', 'resets_at'],
        ]);
      },
    },
    change: {
      usage: 'change ID [--name NAME] [rules]',
      summary: 'only what is given changes; in force within a second',
      run: async (context) =>
        showRecord(context, await context.api.call('PATCH', `/keys/${step(context, 0, 'ID')}`, keyBody(context))),
    },
    pause: act('pause', 'refuse its requests until resumed'),
    resume: act('resume', 'let it work again'),
    revoke: act('revoke', 'end it for good'),
    rotate: act('rotate', 'give it a new text, shown once; the old one stops working'),
  },
};

function stateOf(row: JsonObject): string {
  if (row['revoked_at'] !== null) return 'revoked';
  return (row['rules'] as JsonObject)['paused'] === true ? 'paused' : 'active';
}
