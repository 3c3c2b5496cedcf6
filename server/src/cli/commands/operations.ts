/** `dargah secrets …` and `dargah providers test`. */
import type { JsonObject } from '../../core/json.ts';
import { type Command, type Noun, showRecord, step } from '../command.ts';
import { renderTable } from '../table.ts';

export const secrets: Noun = {
  summary: 'the master key that protects stored secrets',
  notes: [
    'A key kept beside the data (or in the database) is replaced while everything runs.',
    'A key from DARGAH_MASTER_KEY: set OLD,NEW on every replica, then NEW,OLD, then run this, then set NEW alone.',
  ],
  verbs: {
    rotate: {
      usage: 'rotate',
      summary: 'a new master key; everything sealed is sealed anew, without a pause',
      run: async (context) => showRecord(context, await context.api.call('POST', '/secrets/rotate')),
    },
  },
};

export const testProvider: Command = {
  usage: 'test ID',
  summary: 'which step to it fails (DNS, proxy, connect, TLS, auth, model) and how long each takes; exits with 1 then',
  run: async (context) => {
    const test = await context.api.call('POST', `/providers/${step(context, 0, 'ID')}/test`);
    if (context.json) context.print(JSON.stringify(test, null, 2));
    else context.print(renderTable(rowsOf(test), COLUMNS));
    return test['ok'] === true ? 0 : 1;
  },
};

const COLUMNS = [
  ['WAY OR CREDENTIAL', 'by'],
  ['STEP', 'step'],
  ['', 'result'],
  ['MS', 'ms'],
  ['FOUND', 'detail'],
] as const;

function rowsOf(test: JsonObject): JsonObject[] {
  const parts = [...(test['ways'] as JsonObject[]), ...(test['credentials'] as JsonObject[])];
  return parts.flatMap((part) =>
    (part['steps'] as JsonObject[]).map((one) => ({
      ...one,
      by: String(part['via'] ?? part['id']),
      result: one['ok'] === true ? 'ok' : 'FAILED',
    })),
  );
}
