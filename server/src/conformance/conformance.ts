/**
 * The live conformance matrix (ADR 0066): every route is asked a fixed set of probes, at night within the operator's budget or by
 * hand. One probe at a time over all replicas, the ones that were asked longest ago first, so that a small budget comes round in
 * several nights. What a route fails is not offered on it (catalog/build-snapshot.ts, routing/plan.ts).
 */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { CatalogSnapshot, Model, Route } from '../catalog/index.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import { homeDay, startOfDay } from '../ledger/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import {
  type ConformanceResult,
  type ConformanceRun,
  endProbeRun,
  findRun,
  forgetResults,
  type HistoryEntry,
  leaveOut,
  type NewRun,
  newestRuns,
  openRun,
  readHistory,
  readResults,
  writeFinding,
} from './conformance-rows.ts';
import type { ConformanceProbe } from './probe.ts';
import { PROBES } from './probes.ts';
import { conformanceReasons } from './reasons.ts';
import { costOfAnswers, judgeAnswers, likelyCost, type ProbedAnswer } from './verdict.ts';

export interface ConformanceOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  log: Log;
  catalog(): CatalogSnapshot;
  /** Reads the catalog again, so that this process offers what was just found. */
  reload(): Promise<void>;
  ask(model: Model, route: Route, request: ChatRequest): Promise<ProbedAnswer>;
  /** The budget of a night; 0: nothing is asked. */
  budget(): Money;
  /** Work that nobody waits for. */
  detach(work: Promise<unknown>): void;
  /** Staff are told when customers are offered something different. */
  tell(run: ConformanceRun, changes: readonly string[]): Promise<void>;
}

/** From three to six in the morning of Tehran, when there are the fewest requests. */
const NIGHT_BEGINS_MS = 3 * HOUR_MS;
const NIGHT_ENDS_MS = 6 * HOUR_MS;
/** The most probes in one run; no catalog has more. */
const MAX_PROBES = 5_000;
const MAX_NAMED = 20;
const SHOWN_RUNS = 30;

interface Planned {
  probe: ConformanceProbe;
  model: Model;
  route: Route;
  triedMs: number;
}

export interface RunInput {
  model?: string | undefined;
  route?: string | undefined;
  budget?: Money | undefined;
}

export class Conformance {
  readonly #options: ConformanceOptions;
  #stopping = false;

  constructor(options: ConformanceOptions) {
    this.#options = options;
  }

  /** Begins a run in the background. Throws where one is running already, and where no budget is set. */
  async begin({ model, route, budget }: RunInput, actor: string): Promise<ConformanceRun> {
    const { clock, db, randomBytes } = this.#options;
    const most = budget ?? this.#options.budget();
    if (most <= ZERO) throw invalidRequest('budget', conformanceReasons.noBudget);
    if (model !== undefined && !this.#options.catalog().models.has(model))
      throw invalidRequest('model', conformanceReasons.unknownModel(model));
    const asked: NewRun = {
      id: makeId('cfr', clock.now(), randomBytes),
      night: null,
      actor,
      model: model ?? null,
      route: route ?? null,
      budget: most,
    };
    const plan = await this.#plan(asked);
    if (plan.length === 0) throw invalidRequest(route === undefined ? 'model' : 'route', conformanceReasons.noRoute);
    const record = createChangeRecorder(this.#options, 'conformance');
    const run = await db.transaction(async (tx) => {
      const opened = await openRun(tx, asked, clock.now());
      if (opened) await record(tx, actor, 'conformance.run', opened.id, { model: asked.model, route: asked.route });
      return opened;
    });
    if (!run) throw new GatewayError('conflict', { reason: conformanceReasons.running });
    this.#options.detach(this.#work(run, plan));
    return run;
  }

  /** Called in intervals; runs once a night, on one replica, where there is a budget. */
  async night(): Promise<void> {
    const { clock, db, randomBytes } = this.#options;
    const budget = this.#options.budget();
    if (budget <= ZERO || this.#stopping) return;
    const nowMs = clock.now();
    const night = homeDay(nowMs);
    const sinceMidnight = nowMs - startOfDay(night);
    if (sinceMidnight < NIGHT_BEGINS_MS || sinceMidnight >= NIGHT_ENDS_MS) return;
    const asked: NewRun = {
      id: makeId('cfr', nowMs, randomBytes),
      night,
      actor: 'night',
      model: null,
      route: null,
      budget,
    };
    const run = await db.transaction((tx) => openRun(tx, asked, nowMs));
    if (run) await this.#work(run, await this.#plan(asked));
  }

  /** Ends the run of this replica after the current probe. */
  stop(): void {
    this.#stopping = true;
  }

  async results(model?: string): Promise<ConformanceResult[]> {
    return readResults(this.#options.db, model);
  }

  runs(): Promise<ConformanceRun[]> {
    return newestRuns(this.#options.db, SHOWN_RUNS);
  }

  run(id: string): Promise<ConformanceRun | undefined> {
    return findRun(this.#options.db, id);
  }

  history(model: string, route: string, limit: number): Promise<HistoryEntry[]> {
    return readHistory(this.#options.db, { model, route, limit });
  }

  /** For an operator who knows better: offers the route again as the catalog has it. */
  async forget(model: string, route: string, actor: string): Promise<number> {
    const record = createChangeRecorder(this.#options, 'catalog');
    const gone = await this.#options.db.transaction(async (tx) => {
      const count = await forgetResults(tx, model, route);
      if (count > 0) await record(tx, actor, 'conformance.forget', `${model} ${route}`, { results: count });
      return count;
    });
    await this.#options.reload();
    return gone;
  }

  async #plan({ model: onlyModel, route: onlyRoute }: NewRun): Promise<Planned[]> {
    const known = new Map<string, number>();
    for (const { model, route, probe, triedAt } of await this.results())
      known.set(`${model} ${route} ${probe}`, triedAt.getTime());
    const planned: Planned[] = [];
    for (const model of this.#options.catalog().models.values()) {
      // Simulators prove nothing, so they are probed only when named.
      if (model.kind !== 'chat' || (onlyModel === null ? model.simulated : model.id !== onlyModel)) continue;
      for (const route of model.routes) {
        if (onlyRoute !== null && route.id !== onlyRoute) continue;
        for (const probe of PROBES) {
          const isDeclared = probe.asksOf(model) || route.conformance?.failed.has(probe.id);
          const triedMs = known.get(`${model.id} ${route.id} ${probe.id}`) ?? 0;
          if (isDeclared) planned.push({ probe, model, route, triedMs });
        }
      }
    }
    return planned.sort((a, b) => a.triedMs - b.triedMs).slice(0, MAX_PROBES);
  }

  async #work(run: ConformanceRun, plan: readonly Planned[]): Promise<void> {
    const { db, clock } = this.#options;
    const changes: string[] = [];
    let spent: bigint = ZERO;
    let leftOut = 0;
    for (const planned of plan) {
      if (this.#stopping) break;
      const { probe, model, route } = planned;
      if (spent + likelyCost(probe, model, route) > run.budget) {
        leftOut++;
        continue;
      }
      const found = await this.#prove(run, planned, money(run.budget - spent));
      spent += found.spent;
      if (found.changed) changes.push(`${model.id} (${route.id}): ${probe.id}`);
      // Another replica took this run for dead and continues it, so this one stops.
      if (!found.isOpen) return;
    }
    if (leftOut < plan.length) {
      // Customers see the day of the last proof even when nothing changed, so this process reads it before the run
      // ends.
      await db.publish(db, 'catalog', '');
      await this.#options.reload();
    }
    await db.transaction(async (tx) => {
      const isOurs = await leaveOut(tx, run.id, leftOut, clock.now());
      const ending = this.#stopping ? 'stopped' : leftOut > 0 ? 'budget' : 'done';
      if (isOurs) await endProbeRun(tx, run.id, ending, clock.now());
    });
    if (changes.length === 0) return;
    await this.#options.tell({ ...run, changed: changes.length }, changes.slice(0, MAX_NAMED));
  }

  /** A failed probe is repeated once: a model that errs once in ten times still has the capability. */
  async #prove(run: ConformanceRun, planned: Planned, left: Money) {
    const { db, clock } = this.#options;
    const { probe, model, route } = planned;
    const beganMs = clock.monotonicMs();
    let answers = await this.#askAll(planned);
    let judged = judgeAnswers(probe, answers);
    let { spent, cost } = costOfAnswers(probe, answers, model, route);
    if (judged.verdict === 'failed' && spent + likelyCost(probe, model, route) <= left) {
      answers = await this.#askAll(planned);
      const again = judgeAnswers(probe, answers);
      if (again.verdict !== 'unknown') judged = again;
      const more = costOfAnswers(probe, answers, model, route);
      spent = money(spent + more.spent);
      cost = money(cost + more.cost);
    }
    const nowMs = clock.now();
    const finding = {
      ...judged,
      model: model.id,
      route: route.id,
      provider: route.provider.id,
      probe: probe.id,
      durationMs: Math.round(clock.monotonicMs() - beganMs),
      spent,
      cost,
      day: homeDay(nowMs),
    };
    const written = await db.transaction((tx) => writeFinding(tx, run.id, finding, nowMs));
    return { ...written, spent };
  }

  async #askAll({ probe, model, route }: Planned): Promise<ProbedAnswer[]> {
    const answers: ProbedAnswer[] = [];
    for (const request of probe.requests) {
      const answer = await this.#options.ask(model, route, request);
      answers.push(answer);
      if (answer.kind !== 'answered') break;
    }
    return answers;
  }
}
