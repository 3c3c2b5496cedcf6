/** An incident as an outage suggests it, in words for customers: they learn of a model, never of its supplier. */

import type { listOutages } from '@dargah/api/admin/outages.ts';
import { useRead } from '../../api/read.ts';
import { useOutageTexts } from '../outages/texts.ts';
import { NOTHING } from './both-fields.tsx';

const READ = 'GET /api/admin/outages';

/** Undefined while it is read; empty fields where it is not found. */
export function useOutageDraft(id: string | undefined) {
  const { incidentTitle, incidentText } = useOutageTexts();
  const read = useRead<typeof listOutages>(READ, { query: { limit: 50 } }, { enabled: id !== undefined });
  if (id === undefined) return undefined;
  if (read.data === undefined)
    return read.error === null ? undefined : { texts: NOTHING, impact: 'minor', vendors: '' };
  const outage = [...read.data.open, ...read.data.data].find((one) => one.id === id);
  if (outage === undefined) return { texts: NOTHING, impact: 'minor', vendors: '' };
  const { subject, vendor } = outage;
  return {
    texts: {
      titleFa: incidentTitle.fa(subject),
      titleEn: incidentTitle.en(subject),
      textFa: incidentText.fa(subject),
      textEn: incidentText.en(subject),
    },
    impact: outage.severity === 'critical' ? 'major' : 'minor',
    vendors: vendor ?? '',
  };
}
