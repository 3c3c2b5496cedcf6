/** The state and progress of a batch. */

import type { listOwnBatches } from '@dargah/api/console/batches.ts';
import type { Result } from '../../api/call.ts';
import { useFormat } from '../../format.ts';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { useTexts } from './texts.ts';

export type OwnBatchRow = Result<typeof listOwnBatches>['data'][number];

const TONES: Record<OwnBatchRow['state'], Tone> = {
  validating: 'info',
  in_progress: 'info',
  cancelling: 'warn',
  completed: 'ok',
  failed: 'bad',
  expired: 'warn',
  cancelled: 'off',
};

export function BatchState({ batch: { state } }: { batch: Pick<OwnBatchRow, 'state'> }) {
  const texts = useTexts();
  return <Pill tone={TONES[state]}>{texts.states[state]}</Pill>;
}

export function Progress({ batch }: { batch: OwnBatchRow }) {
  const texts = useTexts();
  const format = useFormat();
  const { total, succeeded, failed, cancelled, expired, ended_at: ended } = batch;
  const done = succeeded + failed + cancelled + expired;
  const said = texts.progressOf(format.number(done), format.number(total));
  if (total === 0) return <span className="dim">—</span>;
  return (
    <span className="row">
      {ended === null && <progress value={done} max={total} aria-label={texts.progress} />}
      <span className="nowrap">{said}</span>
    </span>
  );
}
