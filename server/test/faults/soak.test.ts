/**
 * Minutes of steady load with a tenth of all provider answers broken: `npm run soak` runs it for ten minutes, the test run for
 * some seconds. Zero wrong answers, a flat heap, and books that balance.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { INSPECTED, Inspector } from '../harness/inspector.ts';
import { buildProgram, type Program, Replica } from '../harness/replica.ts';
import { TEST_KEY } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { soak } from './soak-run.ts';
import { threeRoutesConfig } from './three-routes.ts';

const minutes = Number(process.env['DARGAH_SOAK_MINUTES'] ?? 0);
const seconds = minutes > 0 ? minutes * 60 : 8;
/** Small, so that they are full before the second half: what still grows then is no cache that fills. */
const SMALL_CACHES = { response_store_max_bytes: 1 << 20, idempotency_max_entries: 200 };

let vendor: FakeVendor;
let program: Program;
let replica: Replica;
let inspector: Inspector;
let dataDir: string;

beforeAll(async () => {
  vendor = await startFakeVendor();
  program = await buildProgram();
  dataDir = await mkdtemp(join(tmpdir(), 'dargah-soak-'));
  const timeouts = {
    connect_ms: 2_000,
    first_event_ms: 2_000,
    whole_answer_ms: 2_000,
    idle_ms: 2_000,
    total_ms: 20_000,
  };
  const config = threeRoutesConfig(vendor, { timeouts, deadlineMs: 30_000 });
  Object.assign(config['settings'] as object, SMALL_CACHES);
  replica = await new Replica({ program, config, dataDir, nodeArguments: INSPECTED }).start();
  inspector = await Inspector.connect(replica.output);
}, 180_000);

afterAll(async () => {
  await inspector?.close();
  await replica?.stop();
  await vendor?.close();
  await program?.remove();
  await rm(dataDir, { recursive: true, force: true });
});

it(
  `${seconds} s with a tenth of all provider answers broken: no wrong answer`,
  async () => {
    const perSecond = minutes > 0 ? 50 : 30;
    const load = { seconds, perSecond, faultPercent: 10, seed: 7 };
    const report = await soak({ vendor, inspector, origin: replica.origin, key: TEST_KEY, ...load });
    process.stdout.write(`${JSON.stringify({ ...report, wrong: report.wrong.length }, null, 2)}\n`);
    expect(report.wrong).toEqual([]);
    expect(report.answered).toBeGreaterThan(report.requests * 0.9);
    expect(report.faultsInjected).toBeGreaterThan(report.upstreamRequests * 0.05);
    expect(report.memory.heap).not.toBe('not flat');
    await eventually(async () => {
      const response = await fetch(`${replica.origin}/api/v1/key`, {
        headers: { authorization: `Bearer ${TEST_KEY}` },
      });
      expect(((await response.json()) as { wallet: { held: string } }).wallet.held).toBe('0');
    });
  },
  (seconds + 120) * 1_000,
);
