/** What every implementation of the admission port must do. Run on memory and on Redis. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Admission, BudgetCheck, LimitCheck, WindowCheck } from '../../src/admission/index.ts';
import { AdmissionUnavailable } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import {
  admitted,
  cap,
  granted,
  refused,
  request,
  requests,
  reserveAll,
  tokens,
  wallet,
} from '../admission/check-fixtures.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { PaperLedger } from '../admission/paper-ledger.ts';
import { eventually } from '../services/eventually.ts';

export type MakeAdmission = (world: { clock: HandClock; ledger: PaperLedger }) => Promise<Admission>;

export function admissionConformance(name: string, make: MakeAdmission): void {
  describe(`admission on ${name}`, () => {
    let clock: HandClock;
    let ledger: PaperLedger;
    let admission: Admission;

    beforeEach(async () => {
      clock = new HandClock();
      ledger = new PaperLedger();
      admission = await make({ clock, ledger });
    });
    afterEach(() => admission.close());

    const heldOf = async (check: BudgetCheck): Promise<bigint> =>
      (await admission.budgets([check])).get(check.id)?.held ?? -1n;
    /** Settling may travel; what counts is that it arrives. */
    const eventuallyHeld = (check: BudgetCheck, expected: bigint): Promise<void> =>
      eventually(async () => expect(await heldOf(check)).toBe(expected));

    it('admits exactly ten of 200 parallel takes when the wallet pays for ten', async () => {
      ledger.write('wallet:a', -1_000n);
      const results = await reserveAll(admission, 200, () => request([wallet('a')], 100n));
      expect(admitted(results)).toBe(10);
      for (const result of results) if (!result.ok) expect(result.available).toBe(0n);
      expect(ledger.asked.flat()).toEqual(['wallet:a']);
    });

    const caps = ['key:k:daily:2026-11-15', 'key:k:monthly:1405-08', 'key:k:total:total', 'account:a:daily:2026-11-15'];
    it.each([...caps, 'account:a:monthly:1405-08', 'account:a:total:total'])('holds the cap %s exactly', async (id) => {
      const tight: BudgetCheck = { kind: 'budget', name: 'cap', id: `cap:${id}`, home: 'a', limit: money(705n) };
      ledger.write(tight.id, 5n);
      ledger.write('wallet:a', -1_000_000n);
      const results = await reserveAll(admission, 50, () =>
        request([cap('wide', 10n ** 9n), tight, wallet('a')], 100n),
      );
      expect(admitted(results)).toBe(7);
      for (const result of results) if (!result.ok) expect(result.failed.id).toBe(tight.id);
      // All or nothing: refused requests left nothing behind in the other budgets.
      expect(await heldOf(wallet('a'))).toBe(700n);
      expect(await heldOf(cap('wide', 1n))).toBe(700n);
    });

    it('admits exactly 50 of 200 at 50 requests a minute', async () => {
      const results = await reserveAll(admission, 200, () => request([requests('k', 50), requests('account', 1_000)]));
      expect(admitted(results)).toBe(50);
      const refusal = refused(results[199] as (typeof results)[number]);
      expect(refusal.retryAfterMs).toBe(60_000);
      expect(refusal.windows.get('rpm:k')).toEqual({ limit: 50, remaining: 0, resetMs: 60_000 });
      expect(refusal.windows.get('rpm:account')?.remaining).toBe(950);
    });

    it('answers with the first demand that fails, in order, and takes nothing', async () => {
      ledger.write('wallet:poor', 0n);
      const failing: LimitCheck[] = [requests('none', 0), cap('none', 0n), wallet('poor'), tokens('none', 10, 11)];
      for (let first = 0; first < failing.length; first++) {
        const open = requests('open', 10);
        const result = refused(await admission.reserve(request([open, ...failing.slice(first)], 1n)));
        expect(result.failed).toEqual(failing[first]);
        expect(result.retryAfterMs).toBe(failing[first]?.kind === 'window' ? 60_000 : undefined);
        expect(result.windows.get('rpm:open')).toEqual({ limit: 10, remaining: 10, resetMs: 0 });
      }
    });

    it('grants between least and want what the tightest budget has', async () => {
      ledger.write('wallet:a', -500n);
      const elastic = (): ReturnType<typeof request> => request([cap('c', 300n), wallet('a')], 250n, 40n);
      const first = granted(await admission.reserve(elastic()));
      expect(first.hold.amount).toBe(250n);
      const second = granted(await admission.reserve(elastic()));
      expect(second.hold.amount).toBe(50n);
      const third = refused(await admission.reserve(elastic()));
      expect([third.failed.id, third.available]).toEqual([cap('c', 0n).id, 0n]);
      expect(first.hold.budgets).toEqual([cap('c', 0n).id, 'wallet:a']);
      expect(await heldOf(wallet('a'))).toBe(300n);
    });

    it('keeps what was spent outstanding until the ledger has posted it', async () => {
      ledger.write('wallet:a', -100n, 7n);
      const { hold } = granted(await admission.reserve(request([wallet('a')], 100n)));
      expect(refused(await admission.reserve(request([wallet('a')], 1n))).available).toBe(0n);
      admission.settle(hold, { spent: money(30n), tokens: undefined });
      admission.settle(hold, { spent: money(30n), tokens: undefined });
      await eventuallyHeld(wallet('a'), 30n);
      expect(refused(await admission.reserve(request([wallet('a')], 71n))).available).toBe(70n);
      admission.posted([{ budget: 'wallet:a', posted: money(-70n), version: 8n, release: money(30n) }]);
      await eventuallyHeld(wallet('a'), 0n);
      expect((await admission.budgets([wallet('a')])).get('wallet:a')).toEqual({ limit: 0n, posted: -70n, held: 0n });
      granted(await admission.reserve(request([wallet('a')], 70n)));
      expect(refused(await admission.reserve(request([wallet('a')], 1n))).available).toBe(0n);
    });

    it('releases everything when nothing was spent', async () => {
      ledger.write('wallet:a', -100n);
      const { hold } = granted(await admission.reserve(request([cap('c', 100n), wallet('a')], 100n)));
      admission.settle(hold, { spent: money(0n), tokens: 0 });
      await eventuallyHeld(wallet('a'), 0n);
      await eventuallyHeld(cap('c', 100n), 0n);
      expect((await admission.reserve(request([cap('c', 100n), wallet('a')], 100n))).ok).toBe(true);
    });

    it('lets a take see what this process settled and posted before it', async () => {
      ledger.write('wallet:a', -100n, 1n);
      for (let round = 0n; round < 5n; round++) {
        const { hold } = granted(await admission.reserve(request([wallet('a')], 100n - 10n * round)));
        admission.settle(hold, { spent: money(10n), tokens: undefined });
        const posted = money(-90n + 10n * round);
        admission.posted([{ budget: 'wallet:a', posted, version: 2n + round, release: money(10n) }]);
      }
    });

    it('lets no older report overwrite a newer one, and releases all the same', async () => {
      ledger.write('wallet:a', -100n, 5n);
      const { hold } = granted(await admission.reserve(request([wallet('a')], 60n)));
      admission.settle(hold, { spent: money(60n), tokens: undefined });
      admission.posted([{ budget: 'wallet:a', posted: money(-1_000n), version: 12n, release: money(20n) }]);
      await eventuallyHeld(wallet('a'), 40n);
      admission.posted([{ budget: 'wallet:a', posted: money(-5n), version: 9n, release: money(40n) }]);
      await eventuallyHeld(wallet('a'), 0n);
      expect((await admission.budgets([wallet('a')])).get('wallet:a')?.posted).toBe(-1_000n);
    });

    it('survives a ledger that is faster than settle', async () => {
      ledger.write('wallet:a', -100n, 1n);
      const { hold } = granted(await admission.reserve(request([wallet('a')], 20n)));
      admission.posted([{ budget: 'wallet:a', posted: money(-70n), version: 2n, release: money(30n) }]);
      admission.settle(hold, { spent: money(30n), tokens: undefined });
      await eventuallyHeld(wallet('a'), 0n);
      expect(refused(await admission.reserve(request([wallet('a')], 71n))).available).toBe(70n);
    });

    it('is not fooled by a release of what it never held', async () => {
      ledger.write('wallet:a', -100n, 1n);
      await admission.budgets([wallet('a')]);
      granted(await admission.reserve(request([cap('c', 1_000n)], 50n)));
      admission.posted([{ budget: 'wallet:a', posted: money(-60n), version: 2n, release: money(40n) }]);
      await eventually(async () => expect((await admission.budgets([wallet('a')])).get('wallet:a')?.posted).toBe(-60n));
      granted(await admission.reserve(request([wallet('a')], 60n)));
      expect(refused(await admission.reserve(request([wallet('a')], 1n))).available).toBe(0n);
    });

    it('counts money beyond the exact range of doubles', async () => {
      const huge = 10n ** 21n;
      ledger.write('wallet:a', -huge);
      ledger.write(cap('c', 0n).id, huge);
      const results = await reserveAll(admission, 5, () => request([cap('c', huge + 7n), wallet('a')], 3n));
      expect(admitted(results)).toBe(2);
      expect(refused(await admission.reserve(request([cap('c', huge + 7n)], 2n))).available).toBe(1n);
    });

    it('loads a budget once for all who wait, and hears reports meanwhile', async () => {
      let open = (): void => undefined;
      ledger.write('wallet:a', -100n, 3n);
      ledger.gate = new Promise((resolve) => {
        open = resolve;
      });
      const waiting = reserveAll(admission, 20, () => request([wallet('a')], 100n));
      await eventually(() => expect(ledger.asked.length).toBeGreaterThan(0));
      admission.posted([{ budget: 'wallet:a', posted: money(-300n), version: 4n, release: money(0n) }]);
      open();
      expect(admitted(await waiting)).toBe(3);
      expect(ledger.asked).toEqual([['wallet:a']]);
    });

    it('refuses with a typed error when the ledger cannot be read, except for budgets it knows', async () => {
      await admission.reserve(request([wallet('known')], 0n));
      ledger.failing = true;
      await expect(admission.reserve(request([wallet('new')], 0n))).rejects.toThrow(AdmissionUnavailable);
      expect((await admission.reserve(request([wallet('known')], 0n))).ok).toBe(true);
      ledger.failing = false;
      expect((await admission.reserve(request([wallet('new')], 0n))).ok).toBe(true);
    });

    it('never admits more than the limit in any 60 seconds, and says when there is room', async () => {
      const times: number[] = [];
      for (let step = 0; step < 400; step++) {
        clock.advance([0, 130, 999, 1_000, 4_321][step % 5] as number);
        const result = await admission.reserve(request([requests('k', 7)]));
        if (result.ok) times.push(clock.now());
        else if (step % 9 === 0) {
          clock.advance((result.retryAfterMs as number) - 1);
          expect((await admission.reserve(request([requests('k', 7)]))).ok).toBe(false);
          clock.advance(1);
          granted(await admission.reserve(request([requests('k', 7)])));
          times.push(clock.now());
        }
      }
      expect(times.length).toBeGreaterThan(50);
      for (const start of times) {
        expect(times.filter((time) => time >= start && time < start + 60_000).length).toBeLessThanOrEqual(7);
      }
      const state = (await admission.windows([requests('k', 7)])).get('rpm:k');
      clock.advance(state?.resetMs as number);
      const fresh = { limit: 7, remaining: 7, resetMs: 0 };
      expect((await admission.windows([requests('k', 7)])).get('rpm:k')).toEqual(fresh);
    });

    it('corrects tokens in the second where they were taken', async () => {
      const check = (amount: number): WindowCheck => tokens('k', 1_000, amount);
      const first = granted(await admission.reserve(request([check(600)])));
      expect(first.windows.get('tpm:k')).toEqual({ limit: 1_000, remaining: 400, resetMs: 60_000 });
      clock.advance(30_000);
      const second = granted(await admission.reserve(request([check(400)])));
      admission.settle(first.hold, { spent: money(0n), tokens: 100 });
      const remaining = (expected: number): Promise<void> =>
        eventually(async () => expect((await admission.windows([check(0)])).get('tpm:k')?.remaining).toBe(expected));
      await remaining(500);
      admission.settle(second.hold, { spent: money(0n), tokens: 5_000 });
      await remaining(0);
      expect(refused(await admission.reserve(request([check(1)]))).retryAfterMs).toBe(60_000);
      clock.advance(30_000);
      expect((await admission.windows([check(0)])).get('tpm:k')?.resetMs).toBe(30_000);
      clock.advance(30_000);
      await remaining(1_000);
    });

    it('keeps what it took when the usage is unknown', async () => {
      const { hold } = granted(await admission.reserve(request([tokens('k', 100, 40)])));
      admission.settle(hold, { spent: money(0n), tokens: undefined });
      const { hold: other } = granted(await admission.reserve(request([tokens('other', 100, 40)])));
      admission.settle(other, { spent: money(0n), tokens: 39 });
      await eventually(async () =>
        expect((await admission.windows([tokens('other', 100, 0)])).get('tpm:other')?.remaining).toBe(61),
      );
      expect((await admission.windows([tokens('k', 100, 0)])).get('tpm:k')?.remaining).toBe(60);
    });

    it('admits nothing at limit 0 and everything at no demand', async () => {
      expect(refused(await admission.reserve(request([requests('k', 0)]))).retryAfterMs).toBe(60_000);
      expect(refused(await admission.reserve(request([cap('c', 0n)], 1n))).available).toBe(0n);
      expect(granted(await admission.reserve(request([], 5n))).hold.amount).toBe(5n);
    });

    it('keeps many keys apart', async () => {
      const results = await Promise.all(
        Array.from({ length: 1_500 }, (_, i) =>
          admission.reserve(request([requests(`key-${i % 500}`, 2), cap(`key-${i % 500}`, 2n)], 1n)),
        ),
      );
      expect(admitted(results)).toBe(1_000);
    });

    it('reads without taking', async () => {
      ledger.write('wallet:a', -10n);
      await admission.windows([requests('k', 1)]);
      await admission.budgets([wallet('a')]);
      expect((await admission.reserve(request([requests('k', 1), wallet('a')], 10n))).ok).toBe(true);
    });
  });
}
