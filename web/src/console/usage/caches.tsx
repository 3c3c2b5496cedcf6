/** What caches saved in the period; shown once there is something to say of them. */
import type { emptyResponseCache } from '@dargah/api/console/response-cache.ts';
import type { getUsageSeries } from '@dargah/api/console/usage.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { micros, useFormat } from '../../format.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Amount } from '../../parts/figures.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useMayWrite } from '../../session.tsx';
import { useTexts } from './texts.ts';

export function Caches({ total }: { total: Result<typeof getUsageSeries>['total'] | undefined }) {
  const texts = useTexts();
  const format = useFormat();
  const mayWrite = useMayWrite();
  if (total === undefined || (total.cache_asked === 0 && micros(total.cache_saved) === 0n)) return null;
  const { cache_asked: asked, cache_hits: hits } = total;
  return (
    <section className="panel" aria-label={texts.caches}>
      <div className="head ruled">
        <h2>{texts.caches}</h2>
        {mayWrite && asked > 0 && (
          <div className="end">
            <EmptyCache />
          </div>
        )}
      </div>
      <div className="strip">
        <div className="stat">
          <div className="stat-name">{texts.saved}</div>
          <div className="stat-value">
            <Amount value={total.cache_saved} unit />
          </div>
        </div>
        <div className="stat">
          <div className="stat-name">{texts.promptShare}</div>
          <div className="stat-value">{format.percent(total.cached_tokens / Math.max(1, total.input_tokens), 1)}</div>
        </div>
        {asked > 0 && (
          <div className="stat">
            <div className="stat-name">{texts.hitRate}</div>
            <div className="stat-value">{format.percent(hits / asked, 1)}</div>
            <div className="xs mid">{texts.hitsOf(format.number(hits), format.number(asked))}</div>
          </div>
        )}
      </div>
      <p className="pad under mid xs">{texts.cachesLead}</p>
    </section>
  );
}

function EmptyCache() {
  const texts = useTexts();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const empty = useChange<typeof emptyResponseCache>('DELETE /api/console/response-cache', {
    done: () => {
      setAsking(false);
      toast({ text: texts.emptied });
    },
  });
  return (
    <>
      <button type="button" className="btn small" onClick={() => setAsking(true)}>
        {texts.emptyCache}
      </button>
      {asking && (
        <Confirm
          title={texts.emptyCacheAsk}
          act={texts.emptyCache}
          busy={empty.isPending}
          onConfirm={() => empty.mutate({})}
          onClose={() => setAsking(false)}
        >
          <p>{texts.emptyCacheText}</p>
        </Confirm>
      )}
    </>
  );
}
