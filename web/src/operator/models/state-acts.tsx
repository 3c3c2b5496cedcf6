/** The way out of the catalog: drained, off, retired, deleted; what depends on it is said before. */
import type { ReactNode } from 'react';
import { useFormat } from '../../format.ts';
import { AskingButton } from '../../parts/dialog.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useRouteTexts } from './route-texts.ts';

export type CatalogState = 'active' | 'draining' | 'off' | 'retired';
const TONES: Record<string, Tone> = { active: 'ok', draining: 'held', off: 'off', retired: 'off' };
/** What may follow a state. */
const NEXT: Record<string, readonly CatalogState[]> = {
  active: ['draining', 'off'],
  draining: ['active', 'off'],
  off: ['active', 'retired'],
  retired: ['active'],
};

export interface Uses {
  models: readonly string[];
  groups: readonly string[];
  keys: { count: number };
  accounts: { count: number };
  requests_7_days: number;
}

export function StatePill({ state }: { state: string }) {
  const { states } = useRouteTexts();
  return <Pill tone={TONES[state] ?? 'info'}>{labelOf(states, state) ?? state}</Pill>;
}

export function StateActs({
  id,
  state,
  mayRetire,
  uses,
  onState,
  onRemove,
}: {
  id: string;
  state: string;
  mayRetire: boolean;
  uses?: Uses | undefined;
  onState(next: CatalogState): void;
  /** Absent where it can only be switched off. */
  onRemove?: (() => void) | undefined;
}) {
  const texts = useRouteTexts();
  const next = (NEXT[state] ?? []).filter((one) => one !== 'retired' || mayRetire);
  return (
    <div className="row">
      {next.map((one) =>
        one === 'active' ? (
          <button key={one} type="button" className="btn small" onClick={() => onState(one)}>
            {texts.acts[one]}
          </button>
        ) : (
          <AskingButton
            key={one}
            title={texts.stateAsk(id)}
            text={<Depends uses={uses} />}
            onConfirm={() => onState(one)}
          >
            {texts.acts[one]}
          </AskingButton>
        ),
      )}
      {onRemove !== undefined && state !== 'active' && (
        <AskingButton title={texts.removeAsk(id)} text={texts.removeText} onConfirm={onRemove}>
          {texts.remove}
        </AskingButton>
      )}
    </div>
  );
}

function Depends({ uses }: { uses: Uses | undefined }): ReactNode {
  const texts = useRouteTexts();
  const format = useFormat();
  if (uses === undefined) return null;
  return (
    <>
      <p>
        {texts.usesOf(
          format.number(uses.models.length),
          format.number(uses.groups.length),
          format.number(uses.keys.count),
          format.number(uses.accounts.count),
          format.number(uses.requests_7_days),
        )}
      </p>
      {uses.models.length > 0 && (
        <p className="xs dim">
          <bdi dir="ltr">{uses.models.slice(0, 20).join(', ')}</bdi>
        </p>
      )}
    </>
  );
}
