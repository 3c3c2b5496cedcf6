/** Who did what, with the before and after. */
import type { listEvents } from '../../../server/src/http/admin/routes/service.ts';
import { useAddress } from '../address.ts';
import { usePages } from '../api/read.ts';
import { FilterText } from '../parts/filter.tsx';
import { Empty, Id, Moment, PageHead } from '../parts/small.tsx';
import { MoreButton, Table } from '../parts/table.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useActWords } from './act-words.ts';
import { useWords } from './words.ts';

export default function TrailPage() {
  const words = useWords();
  const acts = useActWords();
  const address = useAddress();
  const subject = address.get('subject');
  const list = usePages<typeof listEvents>('GET /api/admin/events', {
    query: { limit: 50, ...(subject === undefined ? {} : { subject }) },
  });
  return (
    <>
      <PageHead title={words.nav.trail} />
      <div className="filters">
        <FilterText name="subject" label={words.where} />
      </div>
      <section className="panel" aria-label={words.nav.trail}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={words.nav.trail}
            dense
            rows={list.rows}
            idOf={({ id }) => id}
            empty={<Empty title={words.noTrail} text={words.noTrailText} />}
            foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
            columns={[
              { id: 'at', head: words.time, fold: 'c3', className: 'mid nowrap', cell: ({ at }) => <Moment at={at} /> },
              {
                id: 'action',
                head: words.what,
                fold: 'c1',
                cell: ({ action }) => <span title={action}>{acts.acts[action] ?? <Id value={action} />}</span>,
              },
              { id: 'subject', head: words.where, fold: 'c4', cell: ({ subject: of }) => <Id value={of} /> },
              { id: 'actor', head: words.who, fold: 'c2', cell: ({ actor }) => <Actor actor={actor} /> },
              {
                id: 'detail',
                head: words.before,
                cell: ({ detail }) => (
                  <details>
                    <summary className="xs dim nowrap">{words.raw}</summary>
                    <pre className="code">{JSON.stringify(detail, null, 2)}</pre>
                  </details>
                ),
              },
            ]}
          />
        )}
      </section>
    </>
  );
}

/** `person:per_…` is somebody, `operator` is the token of the service, the rest is the service itself. */
function Actor({ actor }: { actor: string }) {
  const words = useActWords();
  const [kind, id] = actor.split(':');
  if (kind === 'person' && id !== undefined)
    return (
      <span title={id}>
        {words.person} <Id value={`…${id.slice(-6)}`} />
      </span>
    );
  return words.actors[actor] ?? <Id value={actor} />;
}
