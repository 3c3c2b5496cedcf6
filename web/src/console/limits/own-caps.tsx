/** The caps that the account sets for all of itself. */
import type { setOwnCaps } from '@dargah/api/console/account.ts';
import type { getLimits } from '@dargah/api/console/own-money.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange } from '../../api/read.ts';
import { Form, NumberField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useOwnAccount } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTexts } from './texts.ts';

type Caps = Result<typeof getLimits>['own_caps'];
const PERIODS = ['daily', 'monthly'] as const;

export function OwnCaps({ caps }: { caps: Caps }) {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const own = useOwnAccount();
  const mayChange = own?.role === 'owner' || own?.role === 'admin';
  const [draft, setDraft] = useState<Caps>({});
  const save = useChange<typeof setOwnCaps>('PUT /api/console/account/caps', {
    stale: ['GET /api/console/limits', 'GET /api/console/account', 'GET /api/console/wallet'],
    quiet: true,
    done() {
      setDraft({});
      toast({ text: shared.saved });
    },
  });
  return (
    <Panel title={texts.own}>
      <Form className="pad stack gap-m narrow-form" label={texts.own} onSubmit={() => save.mutate({ body: draft })}>
        <p className="mid text">{texts.ownText}</p>
        <fieldset className="unframed stack gap-m" disabled={!mayChange}>
          <div className="columns">
            {PERIODS.map((period) => (
              <NumberField
                key={period}
                label={texts.ownNames[period]}
                unit={shared.toman}
                placeholder={texts.noCap}
                value={(draft[period] === undefined ? caps[period] : draft[period]) ?? null}
                onChange={(next) => setDraft((before) => ({ ...before, [period]: next }))}
                error={errorAt(save.error, `caps.${period}`) ?? errorAt(save.error, period)}
              />
            ))}
          </div>
        </fieldset>
        {mayChange ? (
          <div className="row">
            <button type="submit" className="btn" disabled={Object.keys(draft).length === 0 || save.isPending}>
              {shared.save}
            </button>
          </div>
        ) : (
          <p className="xs dim">{texts.onlyAdmins}</p>
        )}
      </Form>
    </Panel>
  );
}
