/** What is new about an incident: a text in both languages, and the state that it brings. */
import { useState } from 'react';
import type { updateIncident } from '../../../../server/src/http/admin/routes/support.ts';
import { useChange } from '../../api/read.ts';
import { BothTexts } from './both-fields.tsx';
import { INCIDENT_STATES, useNewsTexts } from './texts.ts';

const STATES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
const EMPTY = { textFa: '', textEn: '' };

export function IncidentUpdate({ id }: { id: string }) {
  const own = useNewsTexts();
  const [draft, setDraft] = useState(EMPTY);
  const update = useChange<typeof updateIncident>('POST /api/admin/incidents/:id/updates', {
    stale: ['GET /api/admin/incidents'],
    done: () => setDraft(EMPTY),
  });
  // The status page is read in both languages, whichever the operator writes in.
  const textFor = (state: (typeof STATES)[number]) => ({
    fa: draft.textFa.trim() || INCIDENT_STATES.fa[state],
    en: draft.textEn.trim() || INCIDENT_STATES.en[state],
  });
  return (
    <>
      <BothTexts value={draft} hint={own.emptyUpdate} onChange={setDraft} />
      <fieldset className="row" aria-label={own.newState}>
        <span className="xs dim">{own.newState}:</span>
        {STATES.map((state) => (
          <button
            key={state}
            type="button"
            className="btn small"
            disabled={update.isPending}
            onClick={() => update.mutate({ params: { id }, body: { state, text: textFor(state) } })}
          >
            {own.incidentStates[state]}
          </button>
        ))}
      </fieldset>
    </>
  );
}
