/** Tickets of all accounts; one of them is open in a drawer beside the list. */

import type { listTickets } from '@dargah/api/admin/support.ts';
import { useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { Moment } from '../../parts/figures.tsx';
import { Filter, FilterText } from '../../parts/filter.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { AccountLink, NamesContext } from '../account-link.tsx';
import { AccountFilter } from '../lists/account-filter.tsx';
import { ListBar } from '../lists/list-bar.tsx';
import { ListFoot, namesIn } from '../lists/list-foot.tsx';
import { present } from '../lists/present.ts';
import { useListTexts } from '../lists/texts.ts';
import { useTexts } from '../texts.ts';
import { useTicketTexts } from './texts.ts';
import { Ticket } from './ticket.tsx';

const TONES: Record<string, Tone> = { open: 'warn', answered: 'ok', closed: 'off' };
type State = 'open' | 'answered' | 'closed';
const FILTERS = ['q', 'state', 'category', 'assigned', 'unread', 'wish', 'account', 'sort'];

function useTicketQuery() {
  const { get } = useAddress();
  const filters = {
    q: get('q'),
    state: get('state') as State | undefined,
    category: get('category') as 'general' | undefined,
    assigned_to: get('assigned'),
    unread: get('unread') === undefined ? undefined : true,
    wish: get('wish') === undefined ? undefined : true,
    account_id: get('account'),
    sort: get('sort') as 'waiting' | undefined,
  };
  return { limit: 50, ...present(filters) };
}

export default function OperatorTickets({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const own = useTicketTexts();
  const lists = useListTexts();
  const shared = useShared();
  const address = useAddress();
  const [, navigate] = useLocation();
  const query = useTicketQuery();
  const list = usePages<typeof listTickets>('GET /api/admin/tickets', { query });
  const listNames = namesIn(list.pages);
  return (
    <>
      <PageHead title={texts.nav.tickets} />
      <ListBar list="tickets" names={FILTERS} query={query}>
        <FilterText name="q" label={own.subject} />
        <Filter name="state" label={texts.state} options={Object.entries(own.ticketStates)} />
        <Filter name="category" label={own.category} options={Object.entries(own.categories)} />
        <Filter name="assigned" label={own.assigned} options={Object.entries(own.assignees)} />
        <Filter name="unread" label={own.unread} options={[['true', shared.yes]]} />
        <Filter name="wish" label={own.wishWaits} options={[['true', shared.yes]]} />
        <AccountFilter known={listNames[address.get('account') ?? '']} />
        <Filter name="sort" label={lists.sort} options={[['waiting', own.waitingLongest]]} unset={own.newest} />
      </ListBar>
      <NamesContext value={listNames}>
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
              foot={<ListFoot list={list} />}
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
                  id: 'assigned',
                  head: own.assigned,
                  spare: true,
                  cell: ({ assigned_name: name, assigned_to: id }) =>
                    id === null ? <span className="dim">—</span> : <bdi>{name ?? id}</bdi>,
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
      </NamesContext>
      {params.id !== undefined && <Ticket id={params.id} onClose={() => navigate('/operator/tickets')} />}
    </>
  );
}
