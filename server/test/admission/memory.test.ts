import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdmissionUnavailable, createMemoryAdmission, type Hold } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import { admissionConformance } from '../conformance/admission.suite.ts';
import { eventually } from '../services/eventually.ts';
import { cap, request, requests, wallet } from './check-fixtures.ts';
import { HandClock } from './hand-clock.ts';
import { PaperLedger } from './paper-ledger.ts';

admissionConformance('memory', ({ clock, ledger }) =>
  Promise.resolve(createMemoryAdmission({ clock, loadPosted: ledger.load })),
);

describe('memory admission', () => {
  it('forgets idle counters and refuses what it cannot count', async () => {
    const clock = new HandClock();
    const ledger = new PaperLedger();
    const admission = createMemoryAdmission({ clock, loadPosted: ledger.load, maxCounters: 50 });
    const use = (i: number) => admission.reserve(request([requests(`k${i}`, 1), cap(`k${i}`, 10n)], 1n));
    const holds: Hold[] = [];
    for (let i = 0; i < 50; i++) {
      const result = await use(i);
      if (result.ok) holds.push(result.hold);
    }
    await expect(use(50)).rejects.toThrow(AdmissionUnavailable);
    for (const hold of holds) admission.settle(hold, { spent: money(0n), tokens: undefined });
    clock.advance(600_001);
    for (let i = 100; i < 150; i++) expect((await use(i)).ok).toBe(true);
  });

  it('forgets addresses of an attacker instead of refusing everybody', async () => {
    const clock = new HandClock();
    const admission = createMemoryAdmission({ clock, loadPosted: new PaperLedger().load, maxCounters: 50 });
    for (let i = 0; i < 500; i++) {
      expect((await admission.reserve(request([requests(`ip${i}`, 1, 'ip-failures')]))).ok).toBe(true);
    }
    expect((await admission.reserve(request([requests('ip499', 1, 'ip-failures')]))).ok).toBe(false);
  });

  it('hears of a top-up whose message got lost, from the ledger, once it refuses', async () => {
    const clock = new HandClock();
    const ledger = new PaperLedger();
    const admission = createMemoryAdmission({ clock, loadPosted: ledger.load });
    const reserve = () => admission.reserve(request([wallet('a')], 5n));
    expect((await reserve()).ok).toBe(false);
    ledger.write('wallet:a', -5n);
    clock.advance(1_000);
    await eventually(async () => expect((await reserve()).ok).toBe(true));
    // A caller who keeps trying costs one query a second, not one per request.
    const asked = ledger.asked.length;
    for (let i = 0; i < 20; i++) expect((await reserve()).ok).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ledger.asked.length).toBe(asked);
  });

  it('never lets held and posted exceed the limit by admission, over random histories', async () => {
    const steps = fc.array(
      fc.record({
        act: fc.constantFrom('take', 'settle', 'post', 'top-up'),
        amount: fc.integer({ min: 0, max: 400 }),
        pick: fc.nat(),
      }),
      { maxLength: 120 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const ledger = new PaperLedger();
        ledger.write('wallet:a', -1_000n);
        const admission = createMemoryAdmission({ clock: new HandClock(), loadPosted: ledger.load });
        const running: Hold[] = [];
        const unposted: bigint[] = [];
        for (const { act, amount, pick } of history) {
          const row = ledger.rows.get('wallet:a') as { posted: bigint; version: bigint };
          if (act === 'take') {
            const result = await admission.reserve(request([wallet('a')], BigInt(amount), BigInt(amount >> 2)));
            if (result.ok) running.push(result.hold);
          } else if (act === 'settle' && running.length > 0) {
            const [hold] = running.splice(pick % running.length, 1) as [Hold];
            const spent = BigInt(amount) < hold.amount ? BigInt(amount) : hold.amount;
            admission.settle(hold, { spent: money(spent), tokens: undefined });
            unposted.push(spent);
          } else if (act !== 'settle') {
            const release = act === 'post' ? (unposted.pop() ?? 0n) : 0n;
            ledger.write('wallet:a', row.posted + release - (act === 'top-up' ? BigInt(amount) : 0n));
            const { posted, version } = ledger.rows.get('wallet:a') as typeof row;
            admission.posted([{ budget: 'wallet:a', posted: money(posted), version, release: money(release) }]);
          }
          const outstanding = [...running.map((hold) => hold.amount as bigint), ...unposted].reduce(
            (a, b) => a + b,
            0n,
          );
          const state = (await admission.budgets([wallet('a')])).get('wallet:a');
          expect(state?.held).toBe(outstanding);
          expect(-(state?.posted as bigint) - outstanding).toBeGreaterThanOrEqual(0n);
        }
      }),
    );
  });
});
