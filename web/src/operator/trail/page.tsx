/** Who did what, with the before and after. */
import type { listEvents } from '@dargah/api/admin/service.ts';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { FilterText } from '../../parts/filter.tsx';
import { PageHead } from '../../parts/page-frame.tsx';
import { TrailTable } from '../../parts/trail-table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useTrailWords } from '../../words/trail-words.ts';
import { useWords } from '../words.ts';

export default function TrailPage() {
  const words = useWords();
  const own = useTrailWords();
  const address = useAddress();
  const subject = address.get('subject');
  const list = usePages<typeof listEvents>('GET /api/admin/events', {
    query: { limit: 50, ...(subject === undefined ? {} : { subject }) },
  });
  return (
    <>
      <PageHead title={words.nav.trail} lead={words.noTrailText} />
      <div className="filters">
        <FilterText name="subject" label={own.where} />
      </div>
      <section className="panel" aria-label={words.nav.trail}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <TrailTable
            label={words.nav.trail}
            rows={list.rows}
            more={list.more}
            loadingMore={list.loadingMore}
            onMore={list.onMore}
            empty={{ title: words.noTrail, text: words.noTrailText }}
          />
        )}
      </section>
    </>
  );
}
