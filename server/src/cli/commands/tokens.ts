/** `dargah tokens …`: which programs may work on the operator API. */

import { OPERATOR_SCOPES } from '@dargah/core/operator-scopes.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Noun, showList, showRecord, step, withoutUndefined } from '../command.ts';

export const tokens: Noun = {
  summary: 'tokens with which programs work on the operator API',
  notes: [
    `--scopes: ${OPERATOR_SCOPES.join(', ')}, several with commas.`,
    'No token may make staff or other tokens, or change settings, ways to pay and the master key.',
    'DARGAH_OPERATOR_TOKEN is listed as environment; it may do what an owner may.',
  ],
  verbs: {
    list: {
      usage: 'list',
      summary: 'newest first',
      run: async (context) => {
        const answer = await context.api.call('GET', '/operator-tokens');
        const rows = ((answer['data'] ?? []) as JsonObject[]).map((row) => ({ ...row, scopes: namesOf(row) }));
        return showList(context, context.json ? answer : { ...answer, data: rows }, [
          ['ID', 'id'],
          ['NAME', 'name'],
          ['STATE', 'state'],
          ['SCOPES', 'scopes'],
          ['ENDS', 'expires_at'],
          ['LAST USED', 'last_used_at'],
        ]);
      },
    },
    create: {
      usage: 'create --name NAME --scopes read,catalog [--expires TIME]',
      summary: 'shown once; ends after 90 days unless told, after a year at most',
      run: async (context) => {
        const { options } = context;
        const scopes = options.need('scopes').split(',');
        const body = { name: options.need('name'), scopes, expires_at: options.text('expires') };
        return showRecord(context, await context.api.call('POST', '/operator-tokens', withoutUndefined(body)));
      },
    },
    revoke: {
      usage: 'revoke ID',
      summary: 'every server refuses it at once',
      run: async (context) =>
        showRecord(context, await context.api.call('DELETE', `/operator-tokens/${step(context, 0, 'ID')}`)),
    },
  },
};

function namesOf(row: JsonObject): string {
  return (row['scopes'] as string[]).join(',');
}
