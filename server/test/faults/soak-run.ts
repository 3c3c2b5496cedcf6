/**
 * Steady load through a gateway in its own process while a share of the providers' answers is broken. Every answer is checked
 * against what was asked: an echo must come back word for word, or there must be a clean error.
 */
import { answer, type Behaviour, createGate, type FakeVendor, faults } from '../fake-vendor/index.ts';
import type { Inspector } from '../harness/inspector.ts';
import { type Chance, seeded } from '../simulation/seeded.ts';
import { type Memory, Readings } from './readings.ts';
import { type Asked, ask } from './soak-request.ts';
import { modelOf, PAIRS } from './three-routes.ts';

export interface SoakOptions {
  vendor: FakeVendor;
  /** Of the gateway's process. */
  inspector: Inspector;
  origin: string;
  key: string;
  seconds: number;
  perSecond: number;
  /** Of the requests that reach a provider. */
  faultPercent: number;
  seed: number;
}

export interface SoakReport {
  requests: number;
  /** Clean answers, clean errors after all routes failed, streams that said they were interrupted. */
  answered: number;
  failed: number;
  interrupted: number;
  /** Clients that hung up before they had their answer. */
  left: number;
  wrong: string[];
  upstreamRequests: number;
  faultsInjected: number;
  p50Ms: number;
  p99Ms: number;
  memory: Memory;
}

const TICK_MS = 100;
/** Beyond it the load generator itself would be the bottleneck. */
const MAX_AT_ONCE = 400;
/** A collection stops the gateway for some hundredths of a second: often enough for a line through them, no more. */
const TICKS_PER_READING = 100;
const LEAVING_PERCENT = 3;
const MAX_STAY_MS = 40;
const KEYED_PERCENT = 20;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { vendor, seconds, perSecond } = options;
  const chance = seeded(options.seed);
  // Drawn apart from the rest: which request is the next to ask depends on the machine, and the share of faults must not.
  const injected = breakShare(vendor, options.faultPercent, seeded(options.seed));
  const report = { requests: 0, answered: 0, failed: 0, interrupted: 0, left: 0, wrong: [] as string[] };
  const readings = new Readings(options.inspector);
  const durations: number[] = [];
  const running = new Set<Promise<void>>();
  const one = async (number: number) => {
    const pair = chance.pick(PAIRS);
    const asked: Asked = {
      client: pair.client,
      model: modelOf(pair.upstream),
      stream: chance.happens(50),
      text: `echo ${number}`,
      leaveAfterMs: chance.happens(LEAVING_PERCENT) ? chance.below(MAX_STAY_MS) : undefined,
      idempotencyKey: chance.happens(KEYED_PERCENT) ? `soak-${number}` : undefined,
    };
    const startedMs = performance.now();
    const seen = await ask(options.origin, options.key, asked);
    if (seen.verdict !== 'left') durations.push(performance.now() - startedMs);
    report.requests++;
    if (seen.verdict === 'wrong') report.wrong.push(seen.detail);
    else report[seen.verdict]++;
  };
  const ticks = Math.round((seconds * 1000) / TICK_MS);
  const perTick = (perSecond * TICK_MS) / 1000;
  for (let tick = 0, due = 0, sent = 0; tick < ticks; tick++) {
    due += perTick;
    for (; sent < Math.floor(due); sent++) {
      if (running.size >= MAX_AT_ONCE) continue;
      const work = one(sent).finally(() => running.delete(work));
      running.add(work);
    }
    if (tick % TICKS_PER_READING === 0) await readings.take();
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(running);
  await readings.take();
  durations.sort((a, b) => a - b);
  const at = (share: number) => Math.round(durations[Math.floor((durations.length - 1) * share)] ?? 0);
  return { ...report, ...injected, p50Ms: at(0.5), p99Ms: at(0.99), memory: readings.summary() };
}

/** Nothing that takes a provider out for minutes: this is about bad days, not about removed keys. */
function breakShare(vendor: FakeVendor, percent: number, chance: Chance) {
  const never = createGate();
  const ways: (() => Behaviour)[] = [
    () => faults.failWith(500),
    () => faults.failWith(503),
    () => faults.rateLimited('1'),
    () => faults.resetBeforeHeaders(),
    () => faults.htmlPage(502),
    () => faults.errorIn200(),
    () => faults.brokenJson(),
    () => faults.emptyBody(),
    () => faults.errorEvent(0),
    () => faults.cutAfter(2),
    () => faults.cutAfter(3, 'close'),
    () => faults.endWithoutTerminal(3),
    () => faults.stallBeforeHeaders(never),
    () => faults.stallAfter(3, never),
  ];
  const count = { upstreamRequests: 0, faultsInjected: 0 };
  vendor.choose((request) => {
    count.upstreamRequests++;
    // Recorded requests would fill this process's memory over the minutes.
    if (count.upstreamRequests % 1_000 === 0) vendor.requests.fill(request);
    if (!chance.happens(percent)) return answer();
    count.faultsInjected++;
    return chance.pick(ways)();
  });
  return count;
}
