/** Tickets of all accounts; one of them stands in a drawer beside the list. */
import { useLocation } from 'wouter';
import type { listTickets } from '../../../../server/src/http/admin/routes/support.ts';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { Moment } from '../../parts/figures.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { AccountLink } from '../account-link.tsx';
import { useTexts } from '../texts.ts';
import { useTicketTexts } from './texts.ts';
import { Ticket } from './ticket.tsx';

const TONES: Record<string, Tone> = { open: 'warn', answered: 'ok', closed: 'off' };
type State = 'open' | 'answered' | 'closed';

export default function OperatorTickets({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const own = useTicketTexts();
  const address = useAddress();
  const [, navigate] = useLocation();
  const state = address.get('state');
  const list = usePages<typeof listTickets>('GET /api/admin/tickets', {
    query: { limit: 50, ...(state === undefined ? {} : { state: state as State }) },
  });
  return (
    <>
      <PageHead title={texts.nav.tickets} />
      <div className="filters">
        <Filter name="state" label={texts.state} options={Object.entries(own.ticketStates)} />
      </div>
      <section className="panel" aria-label={texts.nav.tickets}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={texts.nav.tickets}
            rows={list.rows}
            idOf={({ id }) => id}
            selected={params.id}
            onOpen={({ id }) => navigate(`/operator/tickets/${id}`)}
            empty={<Empty title={own.noTickets} text={own.noTicketsText} />}
            foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
            columns={[
              {
                id: 'subject',
                head: own.subject,
                fold: 'c1',
                cell: ({ subject, unread }) => <bdi className={unread ? 'strong' : undefined}>{subject}</bdi>,
              },
              {
                id: 'account',
                head: texts.account,
                fold: 'c4',
                spare: true,
                cell: ({ account_id: id }) => <AccountLink id={id} />,
              },
              {
                id: 'state',
                head: texts.state,
                fold: 'c2',
                cell: ({ state: of }) => <Pill tone={TONES[of] ?? 'info'}>{own.ticketStates[of]}</Pill>,
              },
              {
                id: 'at',
                head: texts.time,
                fold: 'c3',
                className: 'mid nowrap',
                cell: ({ updated_at: at }) => <Moment at={at} />,
              },
            ]}
          />
        )}
      </section>
      {params.id !== undefined && <Ticket id={params.id} onClose={() => navigate('/operator/tickets')} />}
    </>
  );
}
