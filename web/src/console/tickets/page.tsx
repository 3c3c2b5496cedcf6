/** Tickets: the list, one conversation in a drawer, and new ones; a request for a higher limit travels as data. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { listOwnTickets } from '../../../../server/src/http/console/routes/tickets.ts';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { Conversation } from './conversation.tsx';
import { NewTicket } from './new-ticket.tsx';
import { TONES } from './states.ts';
import { useTexts } from './texts.ts';

export default function TicketsPage({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const address = useAddress();
  const [, navigate] = useLocation();
  const [opening, setOpening] = useState(
    address.get('request') !== undefined || new URLSearchParams(location.search).has('raise'),
  );
  const list = usePages<typeof listOwnTickets>('GET /api/console/tickets', { query: { limit: 50 } });
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <button type="button" className="btn main" onClick={() => setOpening(true)}>
          <Icon name="plus" />
          {texts.open}
        </button>
      </PageHead>
      <section className="panel" aria-label={texts.title}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={texts.title}
            rows={list.rows}
            idOf={({ id }) => id}
            selected={params.id}
            onOpen={({ id }) => navigate(`/console/tickets/${id}`)}
            empty={<Empty title={texts.empty} text={texts.emptyText} />}
            foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
            columns={[
              {
                id: 'subject',
                head: texts.subject,
                fold: 'c1',
                cell: ({ subject, unread }) => (
                  <>
                    <bdi className={unread ? 'strong' : undefined}>{subject}</bdi>{' '}
                    {unread && <span className="tag">{texts.unread}</span>}
                  </>
                ),
              },
              {
                id: 'category',
                head: texts.category,
                spare: true,
                cell: ({ category }) => texts.categories[category] ?? category,
              },
              {
                id: 'state',
                head: texts.state,
                fold: 'c2',
                cell: ({ state }) => <Pill tone={TONES[state] ?? 'info'}>{texts.states[state] ?? state}</Pill>,
              },
              {
                id: 'updated',
                head: texts.updated,
                fold: 'c3',
                className: 'mid nowrap',
                cell: ({ updated_at: at }) => <Moment at={at} />,
              },
            ]}
          />
        )}
      </section>
      {params.id !== undefined && <Conversation id={params.id} onClose={() => navigate('/console/tickets')} />}
      {opening && (
        <NewTicket
          onClose={(id) => {
            setOpening(false);
            navigate(id === undefined ? '/console/tickets' : `/console/tickets/${id}`);
          }}
        />
      )}
    </>
  );
}
