/** An account's own margin, above those of model, vendor and all; what it does to its prices is shown before it is set. */

import type { getAccount } from '@dargah/api/admin/accounts.ts';
import type { previewAccountMargin, setAccountMargin } from '@dargah/api/admin/pricing.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Form, NumberField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useModelTexts } from '../models/texts.ts';

export function AccountMargin({ account }: { account: Result<typeof getAccount> }) {
  const texts = useModelTexts();
  const shared = useShared();
  const format = useFormat();
  const toast = useToast();
  const known = account.margin === null ? null : String(Number((Number(account.margin) * 100).toFixed(6)));
  const [percent, setPercent] = useState(known);
  const preview = useChange<typeof previewAccountMargin>('POST /api/admin/accounts/:id/margin/preview', {
    quiet: true,
  });
  const save = useChange<typeof setAccountMargin>('PUT /api/admin/accounts/:id/margin', {
    stale: ['GET /api/admin/accounts/:id'],
    quiet: true,
    done() {
      preview.reset();
      toast({ text: shared.saved });
    },
  });
  const input = () => ({
    params: { id: account.id },
    body: { margin: percent === null ? null : String(Number((Number(percent) / 100).toFixed(8))) },
  });
  const error = preview.error ?? save.error;
  const [cheapest, highest] = bounds(preview.data?.changes.map(({ change_percent: change }) => change ?? 0) ?? []);
  return (
    <Form className="pad under stack gap-m" label={texts.accountMargin} onSubmit={() => preview.mutate(input())}>
      <ChangedBy<typeof setAccountMargin> roles={['owner', 'finance']}>
        <NumberField
          label={texts.accountMargin}
          hint={texts.accountMarginHint}
          name="margin"
          unit={shared.percentSign}
          signed
          value={percent}
          onChange={(next) => {
            setPercent(next);
            preview.reset();
          }}
          error={errorAt(error, 'margin')}
        />
        {preview.data !== undefined && (
          <p>
            {preview.data.changes.length === 0
              ? texts.nothingChanges
              : `${texts.changed(format.number(preview.data.changes.length))} (${format.percent(cheapest / 100, 2)} … ${format.percent(highest / 100, 2)})`}
          </p>
        )}
        <div className="row">
          {preview.data === undefined ? (
            <button type="submit" className="btn" disabled={percent === known || preview.isPending}>
              {texts.preview}
            </button>
          ) : (
            <button type="button" className="btn main" disabled={save.isPending} onClick={() => save.mutate(input())}>
              {texts.applyNow}
            </button>
          )}
        </div>
      </ChangedBy>
    </Form>
  );
}

function bounds(values: readonly number[]): [number, number] {
  return values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)];
}
