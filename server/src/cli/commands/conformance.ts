/** `dargah conformance`: asks every route to prove what the catalog says of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PROBE_IDS } from '@dargah/core/probes.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Context, type Noun, withoutUndefined } from '../command.ts';
import { renderTable } from '../table.ts';

/** How often the command line asks how far a run is. */
const ASK_AGAIN_MS = 1_000;
const MARKS: Record<string, string> = { passed: 'ok', failed: 'FAILED', unknown: '?' };

export const conformance: Noun = {
  summary: 'what routes prove: streams, tools, schemas, vision, …; exits with 1 when one fails something',
  notes: [
    'Asking costs what the providers charge; --budget says how much at most (toman), else the setting conformance_budget.',
  ],
  verbs: {
    run: {
      usage: 'run [--model M] [--route R] [--budget TOMAN] [--known]',
      summary:
        'ask every route, those of a model or one of them, and show what each proves; with --known only what was proved',
      run: async (context) => {
        const { options, json, print } = context;
        const [model, route, budget] = [options.text('model'), options.text('route'), options.text('budget')];
        const asks = options.flag('known') !== true;
        const run = asks ? await askNow(context, withoutUndefined({ model, route, budget }) as JsonObject) : undefined;
        const rows = (await readMatrix(context, model)).filter((row) => route === undefined || row['route'] === route);
        if (json) print(JSON.stringify({ run: run ?? null, routes: rows }, null, 2));
        else {
          printMatrix(print, rows);
          if (run) print(summaryOf(run));
        }
        return run && run['failed'] !== 0 ? 1 : 0;
      },
    },
  },
};

function summaryOf(run: JsonObject): string {
  const { asked, failed, left_out: leftOut, spent } = run;
  return `asked ${String(asked)}, failed ${String(failed)}, left out ${String(leftOut)}, spent ${String(spent)} toman`;
}

async function askNow({ api, json, print }: Context, question: JsonObject): Promise<JsonObject> {
  let run = await api.call('POST', '/conformance/runs', question);
  let said = '';
  while (run['ended_at'] === null) {
    await sleep(ASK_AGAIN_MS);
    run = await api.call('GET', `/conformance/runs/${String(run['id'])}`);
    const progress = `asked ${String(run['asked'])}, spent ${String(run['spent'])} of ${String(run['budget'])} toman`;
    if (!json && progress !== said) print(progress);
    said = progress;
  }
  return run;
}

async function readMatrix({ api }: Context, model: string | undefined): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  let after: string | undefined;
  do {
    const asked = new URLSearchParams(withoutUndefined({ model, after }) as Record<string, string>);
    const page = await api.call('GET', `/conformance?${asked}`);
    rows.push(...(page['routes'] as JsonObject[]));
    after = (page['next'] ?? undefined) as string | undefined;
  } while (after !== undefined);
  return rows;
}

function printMatrix(print: Context['print'], rows: readonly JsonObject[]): void {
  const shown = rows.map((row) => {
    const results = row['results'] as JsonObject[];
    const marks = results.map(({ probe, verdict }) => [String(probe), MARKS[String(verdict)] ?? '?']);
    return { model: String(row['model']), route: String(row['route']), ...Object.fromEntries(marks) };
  });
  print(
    renderTable(shown, [
      ['MODEL', 'model'],
      ['ROUTE', 'route'],
      ...PROBE_IDS.map((probe) => [probe.toUpperCase(), (row: JsonObject) => String(row[probe] ?? '-')] as const),
    ]),
  );
}
