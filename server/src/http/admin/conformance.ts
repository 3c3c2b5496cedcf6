/** The live conformance matrix for operators. */
import * as routes from '@dargah/api/admin/conformance.ts';
import { page } from '@dargah/api/building-blocks.ts';
import { PROBE_IDS } from '@dargah/core/probes.ts';
import type { CatalogSnapshot } from '../../catalog/index.ts';
import type { Conformance, ConformanceResult, ConformanceRun } from '../../conformance/index.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { Register } from '../routes/register.ts';

export interface ConformanceServices {
  conformance: Pick<Conformance, 'begin' | 'run' | 'runs' | 'results' | 'history' | 'forget' | 'stop'>;
  /** The nightly budget that is set. */
  budget(): Money;
  current(): CatalogSnapshot;
}

const MAX_ROUTES = 100;
const USUAL_HISTORY = 100;

export function conformance(register: Register, services: ConformanceServices): void {
  const { conformance: matrix } = services;
  register(routes.getConformance, async ({ query }) => {
    const [results, runs] = await Promise.all([matrix.results(query.model), matrix.runs()]);
    const all = rowsOf(services.current(), results, query.model);
    const from = query.after === undefined ? 0 : all.findIndex((row) => placeOf(row) === query.after) + 1;
    const shown = all.slice(from, from + MAX_ROUTES);
    const last = shown.at(-1);
    return {
      object: 'conformance' as const,
      budget: toTomanText(services.budget()),
      routes: shown,
      runs: runs.map(runView),
      next: last && from + MAX_ROUTES < all.length ? placeOf(last) : null,
    };
  });
  register(routes.listConformanceHistory, async ({ query }) => {
    const past = await matrix.history(query.model, query.route, query.limit ?? USUAL_HISTORY);
    return page(past.map(({ askedAt, ...entry }) => ({ ...entry, asked_at: askedAt.toISOString() })));
  });
  register(routes.beginConformanceRun, async ({ body, actor }) =>
    runView(
      await matrix.begin(
        { model: body.model ?? undefined, route: body.route ?? undefined, budget: budgetOf(body.budget) },
        actor,
      ),
    ),
  );
  register(routes.getConformanceRun, async ({ params }) => {
    const run = await matrix.run(params.id);
    if (!run) throw new GatewayError('not_found');
    return runView(run);
  });
  register(routes.forgetConformance, async ({ body, actor }) => ({
    forgotten: await matrix.forget(body.model, body.route, actor),
  }));
}

function budgetOf(value: string | number | null | undefined): Money | undefined {
  if (value === undefined || value === null) return undefined;
  const amount = parseToman(value);
  if (amount === undefined || amount <= 0n)
    throw invalidRequest('budget', reasons.mustBe('budget', expected.tomanFromZero));
  return amount;
}

function placeOf({ model, route }: { model: string; route: string }): string {
  return `${model} ${route}`;
}

/** Every route that may answer a chat, whether or not it was probed; failing ones first. */
function rowsOf({ models }: CatalogSnapshot, results: readonly ConformanceResult[], onlyModel: string | undefined) {
  const byRoute = new Map<string, ConformanceResult[]>();
  for (const result of results) {
    const key = `${result.model} ${result.route}`;
    byRoute.set(key, [...(byRoute.get(key) ?? []), result]);
  }
  const rows = [...models.values()]
    .filter(({ kind, id }) => kind === 'chat' && (onlyModel === undefined || id === onlyModel))
    .flatMap((model) =>
      model.routes.map((route) => ({
        model: model.id,
        route: route.id,
        provider: route.provider.id,
        results: (byRoute.get(`${model.id} ${route.id}`) ?? [])
          .sort((a, b) => PROBE_IDS.indexOf(a.probe) - PROBE_IDS.indexOf(b.probe))
          .map(resultView),
      })),
    );
  const rank = ({ results: own }: { results: { verdict: string }[] }) =>
    own.some(({ verdict }) => verdict === 'failed') ? 0 : own.length > 0 ? 1 : 2;
  return rows.sort((a, b) => rank(a) - rank(b) || (placeOf(a) < placeOf(b) ? -1 : 1));
}

function resultView({ probe, verdict, detail, durationMs, askedAt, since }: ConformanceResult) {
  return {
    probe,
    verdict,
    detail,
    duration_ms: durationMs,
    asked_at: askedAt.toISOString(),
    since: since.toISOString(),
  };
}

function runView(run: ConformanceRun) {
  const { id, night, actor, model, route, asked, failed, changed, ending } = run;
  return {
    object: 'conformance_run' as const,
    id,
    night,
    actor,
    model,
    route,
    budget: toTomanText(run.budget),
    spent: toTomanText(run.spent),
    asked,
    failed,
    changed,
    left_out: run.leftOut,
    started_at: run.startedAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
    ending,
  };
}
