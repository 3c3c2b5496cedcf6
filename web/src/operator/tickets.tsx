/** Tickets of all accounts; a wish for a higher limit is approved with one click and does what it says. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import type {
  answerTicket,
  decideWish,
  getTicket,
  listTickets,
} from '../../../server/src/http/admin/routes/support.ts';
import { useAddress } from '../address.ts';
import { useChange, usePages, useRead } from '../api/read.ts';
import { Drawer } from '../parts/drawer.tsx';
import { Filter } from '../parts/filter.tsx';
import { AreaField } from '../parts/form.tsx';
import { Empty, Id, Moment, PageHead, Pill, type Tone } from '../parts/small.tsx';
import { MoreButton, Table } from '../parts/table.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { wordOf } from '../words/dictionary.tsx';
import { AccountLink } from './account-link.tsx';
import { useTicketWords } from './ticket-words.ts';
import { Wish } from './wish.tsx';
import { useWords } from './words.ts';

const TONES: Record<string, Tone> = { open: 'warn', answered: 'ok', waiting: 'info', closed: 'off' };
const STALE = ['GET /api/admin/tickets', 'GET /api/admin/tickets/:id'];
type State = 'open' | 'answered' | 'waiting' | 'closed';

export default function OperatorTickets({ params }: { params: { id?: string } }) {
  const words = useWords();
  const own = useTicketWords();
  const address = useAddress();
  const [, navigate] = useLocation();
  const state = address.get('state');
  const list = usePages<typeof listTickets>('GET /api/admin/tickets', {
    query: { limit: 50, ...(state === undefined ? {} : { state: state as State }) },
  });
  return (
    <>
      <PageHead title={words.nav.tickets} />
      <div className="filters">
        <Filter name="state" label={words.state} options={Object.entries(own.ticketStates)} />
      </div>
      <section className="panel" aria-label={words.nav.tickets}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={words.nav.tickets}
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
              { id: 'account', head: words.account, spare: true, cell: ({ account_id: id }) => <Id value={id} /> },
              {
                id: 'state',
                head: words.state,
                fold: 'c2',
                cell: ({ state: of }) => <Pill tone={TONES[of] ?? 'info'}>{own.ticketStates[of]}</Pill>,
              },
              {
                id: 'at',
                head: words.time,
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

function Ticket({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWords();
  const own = useTicketWords();
  const [text, setText] = useState('');
  const read = useRead<typeof getTicket>('GET /api/admin/tickets/:id', { params: { id } });
  const answer = useChange<typeof answerTicket>('POST /api/admin/tickets/:id/messages', {
    stale: STALE,
    done: () => setText(''),
  });
  const decide = useChange<typeof decideWish>('POST /api/admin/tickets/:id/wish', { stale: STALE });
  const ticket = read.data;
  const send = (close: boolean) => answer.mutate({ params: { id }, body: { text: text.trim(), close } });
  return (
    <Drawer
      title={<bdi>{ticket?.subject ?? words.nav.tickets}</bdi>}
      onClose={onClose}
      footer={
        ticket?.wish_state === 'asked' && (
          <>
            <button
              type="button"
              className="btn main"
              disabled={decide.isPending}
              onClick={() => decide.mutate({ params: { id }, body: { approve: true } })}
            >
              {own.approve}
            </button>
            <button
              type="button"
              className="btn"
              disabled={decide.isPending}
              onClick={() => decide.mutate({ params: { id }, body: { approve: false } })}
            >
              {own.decline}
            </button>
          </>
        )
      }
    >
      {read.error !== null && <Trouble error={read.error} />}
      {ticket !== undefined && (
        <>
          <section>
            <dl className="facts">
              <dt>{words.account}</dt>
              <dd>
                <AccountLink id={ticket.account_id} />
              </dd>
              {ticket.request_ids.length > 0 && (
                <>
                  <dt>{words.nav.requests}</dt>
                  <dd className="row">
                    {ticket.request_ids.map((request) => (
                      <a key={request} href={`/operator/requests/${request}`}>
                        <Id value={request} />
                      </a>
                    ))}
                  </dd>
                </>
              )}
            </dl>
            {ticket.wish != null && (
              <div className="stack s">
                <span className="label">{own.wish}</span>
                <Wish account={ticket.account_id} wish={ticket.wish} decided={ticket.wish_state !== 'asked'} />
              </div>
            )}
          </section>
          <div>
            {ticket.messages.map((message) => (
              <article key={message.id} className={message.from === 'staff' ? 'talk-line mine' : 'talk-line'}>
                <div className="row between xs dim">
                  <span title={message.author}>{own.sides[message.from]}</span>
                  <Moment at={message.created_at} />
                </div>
                <p dir="auto">
                  {message.from === 'system' ? (wordOf(own.said, message.text) ?? message.text) : message.text}
                </p>
              </article>
            ))}
          </div>
          <section className="stack m">
            <AreaField label={own.answer} value={text} onChange={setText} rows={3} />
            <div className="row">
              <button
                type="button"
                className="btn"
                disabled={text.trim() === '' || answer.isPending}
                onClick={() => send(false)}
              >
                {own.send}
              </button>
              <button
                type="button"
                className="btn"
                disabled={text.trim() === '' || answer.isPending}
                onClick={() => send(true)}
              >
                {own.sendClose}
              </button>
            </div>
          </section>
        </>
      )}
    </Drawer>
  );
}
