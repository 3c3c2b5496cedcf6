/**
 * Credits of the guarantee, wired: decided when answers are posted; every minute those of killed processes are caught
 * up.
 */
import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/index.ts';
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import { money } from '../core/money.ts';
import { GuaranteeCredits } from '../ledger/index.ts';
import type { Foundation } from './foundation.ts';

const NAME = 'credits of the guarantee';

export function openGuaranteeCredits({ db, clock, log, settings, background }: Foundation): GuaranteeCredits {
  const credits = new GuaranteeCredits({
    db,
    clock,
    log,
    // Read from the database, so that an operator's setting holds on every replica at once.
    bounds: async () => {
      const stored = await settings.all();
      const inForce = (field: 'guarantee_free_per_day' | 'guarantee_toman_per_day'): number => {
        const value = stored.get(field);
        return typeof value === 'number' ? value : LIVE_SETTING_FIELDS[field].initial;
      };
      const toman = BigInt(inForce('guarantee_toman_per_day'));
      return { answers: inForce('guarantee_free_per_day'), amount: money(toman * 1_000_000n) };
    },
    detach: (work) => background.detach(work, NAME),
  });
  background.every(MINUTE_MS, NAME, () => credits.creditWaiting());
  return credits;
}
