/** `dargah accounts …` and `dargah credit …`. */
import { randomUUID } from 'node:crypto';
import { ACCOUNT_RULE_FIELDS, CALENDAR_FIELDS } from '@dargah/core/fields/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Context, type Noun, query, showList, showRecord, step, withoutUndefined } from '../command.ts';
import { optionsHelp, typedFields } from '../field-options.ts';

export const LIFTING_NOTE = 'The value `none` lifts a limit.';

function accountBody({ options }: Context): Record<string, unknown> {
  return withoutUndefined({
    name: options.text('name'),
    rules: typedFields(ACCOUNT_RULE_FIELDS, options),
    calendar: typedFields(CALENDAR_FIELDS, options),
  });
}

export const accounts: Noun = {
  summary: 'who pays, under which rules',
  notes: [`Rules: ${optionsHelp(ACCOUNT_RULE_FIELDS)}`, LIFTING_NOTE, `Calendar: ${optionsHelp(CALENDAR_FIELDS)}`],
  verbs: {
    create: {
      usage: 'create --name NAME [--id ID] [rules] [calendar]',
      summary: 'make an account',
      run: async (context) => {
        const body = { ...withoutUndefined({ id: context.options.text('id') }), ...accountBody(context) };
        return showRecord(context, await context.api.call('POST', '/accounts', body));
      },
    },
    list: {
      usage: 'list [--limit N] [--after CURSOR]',
      summary: 'newest first',
      run: async (context) =>
        showList(context, await context.api.call('GET', `/accounts${query(context)}`), [
          ['ID', 'id'],
          ['NAME', 'name'],
          ['RPM', (row) => (row['rules'] as JsonObject)['rpm']],
          ['MANAGED BY', 'managed_by'],
          ['CREATED', 'created_at'],
        ]),
    },
    show: {
      usage: 'show ID',
      summary: 'one account with its rules',
      run: async (context) => showRecord(context, await context.api.call('GET', `/accounts/${step(context, 0, 'ID')}`)),
    },
    change: {
      usage: 'change ID [--name NAME] [rules] [calendar]',
      summary: 'only what is given changes',
      run: async (context) =>
        showRecord(
          context,
          await context.api.call('PATCH', `/accounts/${step(context, 0, 'ID')}`, accountBody(context)),
        ),
    },
    wallet: {
      usage: 'wallet ID',
      summary: 'balance, held, and spend per period',
      run: async (context) => {
        const answer = await context.api.call('GET', `/accounts/${step(context, 0, 'ID')}/wallet`);
        if (context.json) return showRecord(context, answer);
        showRecord(context, answer['wallet'] as JsonObject);
        return showList(context, { data: answer['spend'] ?? [] }, [
          ['PERIOD', 'period'],
          ['LIMIT', 'limit'],
          ['SPENT', 'spent'],
          ['HELD', 'held'],
          ['REMAINING', 'remaining'],
          ['RESETS', 'resets_at'],
        ]);
      },
    },
  },
};

/** The id makes repeating harmless: a command whose answer was lost is run again with the same --id. */
const transfer = (kind: string) => async (context: Context) => {
  const { options } = context;
  const body = withoutUndefined({
    id: options.text('id') ?? `cli-${randomUUID()}`,
    kind,
    amount: context.words[1]?.replace(/[_,]/g, '') ?? options.need('amount'),
    note: options.text('note'),
    request_id: options.text('request'),
  });
  return showRecord(
    context,
    await context.api.call('POST', `/accounts/${step(context, 0, 'ACCOUNT')}/transfers`, body),
  );
};

export const credit: Noun = {
  summary: 'money in and out of wallets',
  notes: ['Amounts are toman. --id makes a transfer repeatable without moving money twice; one is made when absent.'],
  verbs: {
    add: {
      usage: 'add ACCOUNT AMOUNT [--note TEXT] [--id ID]',
      summary: 'book a bank receipt as credit; --id is its number',
      run: transfer('top-up'),
    },
    adjust: {
      usage: 'adjust ACCOUNT --amount AMOUNT --note REASON [--id ID]',
      summary: 'correct a wallet; a negative amount takes (write --amount=-5)',
      run: transfer('adjustment'),
    },
    refund: {
      usage: 'refund ACCOUNT AMOUNT --request REQUEST --note REASON [--id ID]',
      summary: 'pay a request back, caps included',
      run: transfer('refund'),
    },
    history: {
      usage: 'history ACCOUNT [--limit N] [--after CURSOR]',
      summary: 'every movement, newest first',
      run: async (context) =>
        showList(
          context,
          await context.api.call('GET', `/accounts/${step(context, 0, 'ACCOUNT')}/transfers${query(context)}`),
          [
            ['TIME', 'created_at'],
            ['KIND', 'kind'],
            ['AMOUNT', 'amount'],
            ['ID', 'id'],
            ['NOTE', 'note'],
          ],
        ),
    },
  },
};
