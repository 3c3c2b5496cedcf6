/** Tickets: the list, one conversation in a drawer, and new ones; a wish for a higher limit travels as data. */

import type { listOwnTickets } from '@dargah/api/console/tickets.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
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
import { useWords } from './words.ts';

export default function TicketsPage({ params }: { params: { id?: string } }) {
  const words = useWords();
  const address = useAddress();
  const [, navigate] = useLocation();
  const [opening, setOpening] = useState(
    address.get('request') !== undefined || new URLSearchParams(location.search).has('raise'),
  );
  const list = usePages<typeof listOwnTickets>('GET /api/console/tickets', { query: { limit: 50 } });
  return (
    <>
      <PageHead title={words.title} lead={words.lead}>
        <button type="button" className="btn main" onClick={() => setOpening(true)}>
          <Icon name="plus" />
          {words.open}
        </button>
      </PageHead>
      <section className="panel" aria-label={words.title}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={words.title}
            rows={list.rows}
            idOf={({ id }) => id}
            selected={params.id}
            onOpen={({ id }) => navigate(`/console/tickets/${id}`)}
            empty={<Empty title={words.empty} text={words.emptyText} />}
            foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
            columns={[
              {
                id: 'subject',
                head: words.subject,
                fold: 'c1',
                cell: ({ subject, unread }) => (
                  <>
                    <bdi className={unread ? 'strong' : undefined}>{subject}</bdi>{' '}
                    {unread && <span className="tag">{words.unread}</span>}
                  </>
                ),
              },
              {
                id: 'category',
                head: words.category,
                spare: true,
                cell: ({ category }) => words.categories[category] ?? category,
              },
              {
                id: 'state',
                head: words.state,
                fold: 'c2',
                cell: ({ state }) => <Pill tone={TONES[state] ?? 'info'}>{words.states[state] ?? state}</Pill>,
              },
              {
                id: 'updated',
                head: words.updated,
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
