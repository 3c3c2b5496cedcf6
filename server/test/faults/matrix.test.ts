/**
 * The fault matrix: each fault on the first, the middle and the last of three routes, streamed and not, for each pair of
 * client and provider protocol. As long as a route is left the client sees a clean answer; when none is left, one clean error;
 * and in every cell the receipt and the books agree with what the client saw.
 * @tier services
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, type Behaviour, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { eventually } from '../services/eventually.ts';
import { ask, type View } from './client-view.ts';
import { FAULTS, type Fault, type Scene, TEXT } from './faults.ts';
import { micro, type Receipt, receiptOf, walletOf } from './receipts.ts';
import { type ShiftedClock, shiftedClock } from './shifted-clock.ts';
import {
  BALANCE,
  type Client,
  modelOf,
  PAIRS,
  type Pair,
  routeOf,
  threeRoutesConfig,
  UNREACHABLE,
  type Unreachable,
} from './three-routes.ts';

let gateway: TestGateway;
let clock: ShiftedClock;
let charged = 0n;

/** Longer than any cool-down of the breaker, so that cells do not see each other. */
const COOL_DOWN_MS = 20 * 60_000;

beforeAll(async () => {
  clock = shiftedClock();
  const vendor = await startFakeVendor();
  gateway = await startGateway({ vendor, clock, config: threeRoutesConfig(vendor) });
}, 120_000);

afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});

interface Cell extends Pair {
  stream: boolean;
  /** 1, 2 or 3: the routes before it are down. */
  position: number;
}

describe.each(PAIRS.map((pair) => [`${pair.client} to ${pair.upstream}`, pair] as const))('%s', (_name, pair) => {
  describe.each([
    ['streamed', true],
    ['whole', false],
  ])('%s', (_kind, stream) => {
    const met = FAULTS.filter(
      ({ meets, except }) => (meets === 'both' || (meets === 'stream') === stream) && !except?.includes(pair.upstream),
    );
    it.each(met.map((fault) => [fault.name, fault] as const))('%s', async (_fault, fault) => {
      for (const position of [1, 2, 3]) await checkFault({ ...pair, stream, position }, fault);
    });

    it.each(Object.keys(UNREACHABLE) as Unreachable[])('unreachable: %s', async (how) => {
      for (const position of [1, 2, 3]) await checkUnreachable({ ...pair, stream, position }, how);
    });
  });
});

it('the books agree with every receipt: what was charged is gone from the wallet, and nothing is held', async () => {
  expect(charged > 0n).toBe(true);
  await eventually(async () => {
    const { balance, held } = await walletOf(gateway);
    expect(held).toBe('0');
    expect(micro(balance)).toBe(BigInt(BALANCE) * 1_000_000n - charged);
  });
  expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
});

async function checkFault(cell: Cell, fault: Fault): Promise<void> {
  clock.forward(COOL_DOWN_MS);
  const scene = fault.scene();
  gateway.vendor.reset();
  gateway.vendor.choose((request) => {
    const route = routeOf(request);
    if (route < cell.position) return faults.failWith(503);
    return route === cell.position ? hurried(scene) : answer({ text: TEXT });
  });
  const view = await ask(gateway, cell.client, modelOf(cell.upstream), cell.stream);
  const receipt = await account(view);
  const where = `${fault.name} at ${cell.position}`;
  checkEnd(where, cell, fault, view, receipt);
  const outcome = typeof fault.outcome === 'string' ? fault.outcome : fault.outcome[cell.stream ? 'stream' : 'whole'];
  checkAttempts(where, cell, receipt, outcome, fault.phase === 'before');
}

/** A provider that hangs does so in fast time, until the gateway gives it up. */
function hurried({ behaviour, stalled }: Scene): Behaviour {
  return (wire) => {
    const passing = stalled?.then(() => {
      const timer = setInterval(() => clock.forward(15_000), 20);
      return wire.request.ended.finally(() => clearInterval(timer));
    });
    return Promise.all([behaviour(wire), passing]).then(() => undefined);
  };
}

async function checkUnreachable(cell: Cell, how: Unreachable): Promise<void> {
  clock.forward(COOL_DOWN_MS);
  gateway.vendor.reset();
  gateway.vendor.choose((request) =>
    routeOf(request) < cell.position ? faults.failWith(503) : answer({ text: TEXT }),
  );
  const view = await ask(gateway, cell.client, modelOf(cell.upstream, how, cell.position), cell.stream);
  const receipt = await account(view);
  if (cell.position < 3) expectAnswer(how, view, receipt);
  else expectError(how, view, receipt, 502, 'upstream_error');
  const providers = receipt.attempts.map(({ provider }) => provider);
  expect(providers[cell.position - 1]).toBe(`${cell.upstream}-${how}`);
  expect(receipt.attempts[cell.position - 1]?.outcome).toBe('connect');
  expect(receipt.attempts[cell.position - 1]?.cause).toContain(UNREACHABLE[how].cause);
}

/** Nothing a provider said or we keep secret may be in what the client got, whatever happened. */
async function account(view: View): Promise<Receipt> {
  for (const hidden of ['secret-of', 'fake vendor', 'Bad gateway', 'up-1', 'up-2', 'up-3']) {
    expect(view.raw).not.toContain(hidden);
  }
  const receipt = await receiptOf(gateway, view.requestId);
  charged += micro(receipt.cost);
  return receipt;
}

function checkEnd(where: string, cell: Cell, fault: Fault, view: View, receipt: Receipt): void {
  const code = fault.error ?? 'upstream_error';
  if (fault.phase === 'harmless' || (fault.phase === 'before' && cell.position < 3)) {
    expectAnswer(where, view, receipt);
  } else if (fault.phase === 'after') {
    expectInterruption(where, view, receipt, code, cell.client);
  } else {
    const status = fault.status ?? (code === 'upstream_timeout' ? 504 : 502);
    expectError(where, view, receipt, status, code);
  }
}

function expectAnswer(where: string, view: View, receipt: Receipt): void {
  expect({ where, ...view }).toMatchObject({ where, status: 200, text: TEXT, complete: true, error: undefined });
  expect({ where, ...receipt }).toMatchObject({ where, state: 'completed', status: 200, error: null });
  expect(micro(receipt.cost) > 0n).toBe(true);
}

function expectError(where: string, view: View, receipt: Receipt, status: number, code: string): void {
  expect({ where, ...view }).toMatchObject({ where, status, text: '', complete: false, error: { code } });
  expect({ where, ...receipt }).toMatchObject({ where, state: 'failed', status, cost: '0', error: { code } });
}

/** Headers were out: the text so far, then an error instead of an end; what was delivered is charged. */
function expectInterruption(where: string, view: View, receipt: Receipt, code: string, client: Client): void {
  // Inside a stream the Responses protocol has few words of its own, and its clients know no others.
  const shown = client === 'responses' ? 'server_error' : code;
  expect({ where, ...view }).toMatchObject({ where, status: 200, complete: false, error: { code: shown } });
  expect(view.text).not.toBe('');
  expect(TEXT.startsWith(view.text)).toBe(true);
  expect({ where, ...receipt }).toMatchObject({ where, state: 'interrupted', error: { code } });
  expect(micro(receipt.cost) > 0n).toBe(true);
}

function checkAttempts(where: string, cell: Cell, receipt: Receipt, outcome: string, movesOn: boolean): void {
  const expected = Array.from({ length: cell.position - 1 }, () => 'server');
  expected.push(outcome === '*' ? (receipt.attempts[cell.position - 1]?.outcome ?? '') : outcome);
  if (movesOn && cell.position < 3) expected.push('ok');
  expect({ where, outcomes: receipt.attempts.map((attempt) => attempt.outcome) }).toEqual({
    where,
    outcomes: expected,
  });
  if (outcome === '*') expect(receipt.attempts[cell.position - 1]?.outcome).not.toBe('ok');
  receipt.attempts.forEach((attempt, i) => {
    expect(attempt.provider).toBe(`${cell.upstream}-${i + 1}`);
    expect(Number.isNaN(Date.parse(attempt.started_at))).toBe(false);
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(0);
  });
  expect(receipt.plan.filter((line) => /^\d\. /.test(line))).toHaveLength(3);
}
