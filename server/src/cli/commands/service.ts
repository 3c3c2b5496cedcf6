/** `dargah requests …`, `usage`, `audit`, `replicas …`, `settings`, `events`, `health`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { UsageError } from '../arguments.ts';
import { type Context, type Noun, query, showList, showRecord, step, withoutUndefined } from '../command.ts';
import { optionsHelp, typedFields } from '../field-options.ts';
import { renderTable } from '../table.ts';

export const requests: Noun = {
  summary: 'what was asked and what it cost',
  verbs: {
    list: {
      usage:
        'list [--account-id ID] [--key-id ID] [--model M] [--endpoint E] [--state S] [--from TIME] [--to TIME] [--limit N] [--after CURSOR]',
      summary: 'newest first',
      run: async (context) => {
        const filters = query(context, 'account-id', 'key-id', 'model', 'endpoint', 'state', 'from', 'to');
        return showList(context, await context.api.call('GET', `/requests${filters}`), [
          ['TIME', 'created_at'],
          ['ID', 'id'],
          ['ACCOUNT', 'account_id'],
          ['MODEL', 'model'],
          ['STATE', 'state'],
          ['COST', 'cost'],
          ['MS', 'duration_ms'],
        ]);
      },
    },
    show: {
      usage: 'show ID',
      summary: 'the whole receipt',
      run: async (context) => showRecord(context, await context.api.call('GET', `/requests/${step(context, 0, 'ID')}`)),
    },
  },
};

export const usage: Noun = {
  summary: 'sums of days',
  verbs: {
    show: {
      usage: 'show --from 2026-11-01 --to 2026-11-30 [--account-id ID] [--group-by day,account,key,model]',
      summary: 'requests, tokens and cost',
      run: async (context) => {
        const { options } = context;
        const by = options.text('group-by') ?? 'day';
        const place = withoutUndefined({
          from: options.need('from'),
          to: options.need('to'),
          account_id: options.text('account-id'),
          group_by: by,
        }) as Record<string, string>;
        const answer = await context.api.call('GET', `/usage?${new URLSearchParams(place)}`);
        const fields: Record<string, string> = { day: 'day', account: 'account_id', key: 'key_id', model: 'model' };
        return showList(context, answer, [
          ...by.split(',').map((name) => [name.toUpperCase(), fields[name] ?? name] as const),
          ['REQUESTS', 'requests'],
          ['REFUSED', 'refused'],
          ['INPUT', 'input_tokens'],
          ['OUTPUT', 'output_tokens'],
          ['COST', 'cost'],
        ]);
      },
    },
  },
};

/** How often the command line asks how far a proof is. */
const ASK_AGAIN_MS = 1_000;

async function proveWhole({ api, json, print }: Context): Promise<JsonObject> {
  let run = await api.call('POST', '/proofs');
  let said = '';
  while (run['state'] === 'running') {
    await sleep(ASK_AGAIN_MS);
    run = await api.call('GET', `/proofs/${String(run['id'])}`);
    const progress = `${String(run['rows_read'])} of ${String(run['rows_expected'])} rows`;
    if (!json && progress !== said && run['state'] === 'running') print(progress);
    said = progress;
  }
  return run;
}

function printChecks(print: Context['print'], checks: JsonObject[]): void {
  const words: Record<string, string> = { ok: 'ok', failed: 'FAILED', nothing: 'nothing to check' };
  const rows = checks.map((check) => {
    const { ok, result = ok === true ? 'ok' : 'failed' } = check;
    return { ...check, result: words[String(result)] ?? String(result) };
  });
  print(
    renderTable(rows, [
      ['', 'result'],
      ['CHECK', 'name'],
      ['FOUND', 'detail'],
    ]),
  );
}

export const audit: Noun = {
  summary: 'whether the books balance; exits with 1 when they do not',
  verbs: {
    run: {
      usage: 'run [--whole]',
      summary: 'what the last proof found; with --whole prove everything now, from the first row on',
      run: async (context) => {
        const { api, json, print } = context;
        const isWhole = context.options.flag('whole') === true;
        const report = isWhole ? await proveWhole(context) : await api.call('GET', '/audit');
        if (json) print(JSON.stringify(report, null, 2));
        else printChecks(print, (report['checks'] ?? []) as JsonObject[]);
        if (isWhole ? report['state'] === 'failed' : report['at'] === null) {
          const reason = isWhole ? `the proof did not end: ${String(report['reason'])}` : NEVER_PROVEN;
          if (!json) print(reason);
          return isWhole ? 1 : 0;
        }
        const at = String(report['ended_at'] ?? report['at']);
        if (!json) print(`${report['ok'] === true ? 'the books balance' : 'THE BOOKS DO NOT BALANCE'} (proven ${at})`);
        return report['ok'] === true ? 0 : 1;
      },
    },
  },
};

const NEVER_PROVEN = 'the books have not been proven yet; `audit --whole` proves them now';

export const replicas: Noun = {
  summary: 'the processes that count together',
  verbs: {
    list: {
      usage: 'list',
      summary: 'the living, and dead ones with what they still hold',
      run: async (context) =>
        showList(context, await context.api.call('GET', '/replicas'), [
          ['ID', 'id'],
          ['LIVING', 'living'],
          ['MISSING SINCE', 'missing_since'],
          ['HOLDS (TOMAN)', 'outstanding'],
          ['IN WALLETS', 'wallets'],
        ]),
    },
    forget: {
      usage: 'forget ID',
      summary: 'write off what a dead replica held, or charged and will never post',
      run: async (context) =>
        showRecord(context, await context.api.call('DELETE', `/replicas/${step(context, 0, 'ID')}`)),
    },
  },
};

export const settings: Noun = {
  summary: 'what the operator may change while it runs',
  verbs: {
    show: {
      usage: 'show',
      summary: 'settings in force',
      run: async (context) => showRecord(context, await context.api.call('GET', '/settings')),
    },
    set: {
      usage: `set ${optionsHelp(LIVE_SETTING_FIELDS)
        .split('  ')
        .map((option) => `[${option}]`)
        .join(' ')}`,
      summary: 'change them, on every replica',
      run: async (context) => {
        const body = typedFields(LIVE_SETTING_FIELDS, context.options) ?? {};
        return showRecord(context, await context.api.call('PATCH', '/settings', body));
      },
    },
  },
};

export const backups: Noun = {
  summary: 'what backups tell of themselves',
  verbs: {
    done: {
      usage: 'done LOCATION',
      summary: 'the last line of a backup script: it was made, and lies there',
      run: async (context) => {
        const [location] = context.words;
        if (location === undefined) throw new UsageError('LOCATION is missing');
        return showRecord(context, await context.api.call('POST', '/backups', { location }));
      },
    },
  },
};

export const setup: Noun = {
  summary: 'the first-run guide',
  verbs: {
    show: {
      usage: 'show',
      summary: 'every step, tested now',
      run: async (context) => {
        const guide = await context.api.call('GET', '/setup');
        return showList(context, { ...guide, data: guide['steps'] ?? [] }, [
          ['STEP', 'id'],
          ['STATE', 'state'],
          ['LACKS', (row) => (row['lacks'] as string[]).join(' ')],
          ['SEEN', 'seen'],
        ]);
      },
    },
  },
};

export const operators: Noun = {
  summary: 'the password that the first start printed',
  verbs: {
    'reset-password': {
      usage: 'reset-password',
      summary: 'make a new one, shown once, to sign in with and replace; the old one and its sessions end',
      run: async (context) => showRecord(context, await context.api.call('POST', '/operators/reset-password')),
    },
  },
};

export const events: Noun = {
  summary: 'who changed what',
  verbs: {
    list: {
      usage: 'list [--subject ID] [--limit N] [--after CURSOR]',
      summary: 'newest first',
      run: async (context) =>
        showList(context, await context.api.call('GET', `/events${query(context, 'subject')}`), [
          ['TIME', 'at'],
          ['ACTOR', 'actor'],
          ['ACTION', 'action'],
          ['SUBJECT', 'subject'],
        ]),
    },
  },
};

export const health: Noun = {
  summary: 'how the service and its routes are',
  verbs: {
    show: {
      usage: 'show',
      summary: 'database, limits, journal',
      run: async (context) => showRecord(context, await context.api.call('GET', '/health')),
    },
    routes: {
      usage: 'routes',
      summary: 'circuit, load and latency of every route in use',
      run: async (context) =>
        showList(context, await context.api.call('GET', '/routes/health'), [
          ['TARGET', 'target'],
          ['STATE', 'state'],
          ['RUNNING', 'in_flight'],
          ['P50 MS', 'p50_ms'],
          ['P95 MS', 'p95_ms'],
          ['CAUSE', 'cause'],
        ]),
    },
    'set-aside': {
      usage: 'set-aside',
      summary: 'charges of this replica that the database cannot take',
      run: async (context) =>
        showList(context, await context.api.call('GET', '/charges/set-aside'), [
          ['REQUEST', 'id'],
          ['CAME', 'created_at'],
          ['SET ASIDE', 'set_aside_at'],
          ['REASON', 'reason'],
        ]),
    },
  },
};
