/** How much a token may credit by hand; only those that have the scope for it have limits. */

import type { listOperatorTokens, setTokenCreditLimits } from '@dargah/api/admin/operator-tokens.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { NumberField } from '../../parts/form.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTokenTexts } from './texts.ts';

type Token = Result<typeof listOperatorTokens>['data'][number];

/** Whatever books by hand counts: credit, and orders that are confirmed or refunded by hand. */
const SCOPES = ['credit', 'payments'] as const;

export function TokenLimits({ token }: { token: Token }) {
  const texts = useTokenTexts();
  const [isOpen, setOpen] = useState(false);
  if (!SCOPES.some((scope) => token.scopes.includes(scope))) return null;
  return (
    <>
      <button type="button" className="btn small" onClick={() => setOpen(true)}>
        {texts.setLimits}
      </button>
      {isOpen && <LimitsDialog token={token} onClose={() => setOpen(false)} />}
    </>
  );
}

function LimitsDialog({ token, onClose }: { token: Token; onClose(): void }) {
  const texts = useTokenTexts();
  const shared = useShared();
  const [act, setAct] = useState<string | null>(token.credit_limits?.act ?? '0');
  const [day, setDay] = useState<string | null>(token.credit_limits?.day ?? '0');
  const save = useChange<typeof setTokenCreditLimits>('PUT /api/admin/operator-tokens/:id/credit-limits', {
    quiet: true,
    stale: ['GET /api/admin/operator-tokens'],
    done: onClose,
  });
  return (
    <Dialog
      title={texts.limits}
      onClose={onClose}
      footer={
        <DialogActs
          disabled={save.isPending}
          onAct={() => save.mutate({ params: { id: token.id }, body: { act: act ?? '0', day: day ?? '0' } })}
          onClose={onClose}
        >
          {texts.saveLimits}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <p className="mid">{texts.limitsText}</p>
        <NumberField label={texts.perAct} unit={shared.toman} name="act" value={act} onChange={setAct} />
        <NumberField
          label={texts.perDay}
          unit={shared.toman}
          name="day"
          value={day}
          onChange={setDay}
          error={save.error?.message}
        />
      </div>
    </Dialog>
  );
}
