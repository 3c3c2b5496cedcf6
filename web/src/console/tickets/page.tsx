/** Tickets: the list, one conversation in a drawer, and new ones; a wish for a higher limit travels as data. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import type {
  answerOwnTicket,
  closeOwnTicket,
  getOwnAttachment,
  getOwnTicket,
  listOwnTickets,
  openTicket,
} from '../../../../server/src/http/console/routes/tickets.ts';
import { useAddress } from '../../address.ts';
import { fetchFile, type Result } from '../../api/call.ts';
import { useChange, usePages, useRead, useSayRefusal } from '../../api/read.ts';
import { type Attached, AttachField } from '../../parts/attach.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { AreaField, Form, NumberField, SelectField, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ListInput } from '../../parts/list-input.tsx';
import { Empty, Id, Moment, PageHead, Pill, type Tone } from '../../parts/small.tsx';
import { download, MoreButton, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../words/shared.ts';
import { useWords } from './words.ts';

type Ticket = Result<typeof getOwnTicket>;
const TONES: Record<string, Tone> = { open: 'info', answered: 'ok', waiting: 'warn', closed: 'off' };
const STALE = ['GET /api/console/tickets', 'GET /api/console/tickets/:id'];

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

function Conversation({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWords();
  const shared = useShared();
  const read = useRead<typeof getOwnTicket>('GET /api/console/tickets/:id', { params: { id } });
  const close = useChange<typeof closeOwnTicket>('POST /api/console/tickets/:id/close', { stale: STALE });
  const ticket = read.data;
  return (
    <Drawer
      title={<bdi>{ticket?.subject ?? words.title}</bdi>}
      onClose={onClose}
      footer={
        ticket !== undefined &&
        ticket.state !== 'closed' && (
          <button
            type="button"
            className="btn"
            disabled={close.isPending}
            onClick={() => close.mutate({ params: { id } })}
          >
            {words.close}
          </button>
        )
      }
    >
      {read.error !== null ? (
        <Trouble error={read.error} />
      ) : ticket === undefined ? (
        <p className="pad dim">{shared.loading}</p>
      ) : (
        <>
          <section>
            <dl className="facts">
              <dt>{words.state}</dt>
              <dd>
                <Pill tone={TONES[ticket.state] ?? 'info'}>{words.states[ticket.state]}</Pill>
              </dd>
              {ticket.wish_state !== null && (
                <>
                  <dt>{words.wish}</dt>
                  <dd>
                    <Pill
                      tone={ticket.wish_state === 'approved' ? 'ok' : ticket.wish_state === 'asked' ? 'info' : 'warn'}
                    >
                      {words.wishStates[ticket.wish_state]}
                    </Pill>
                  </dd>
                </>
              )}
              {ticket.request_ids.length > 0 && (
                <>
                  <dt>{words.requests}</dt>
                  <dd className="row">
                    {ticket.request_ids.map((request) => (
                      <a key={request} href={`/console/requests/${request}`}>
                        <Id value={request} />
                      </a>
                    ))}
                  </dd>
                </>
              )}
            </dl>
          </section>
          <Messages ticket={ticket} />
          <Answer id={id} closed={ticket.state === 'closed'} />
        </>
      )}
    </Drawer>
  );
}

function Messages({ ticket }: { ticket: Ticket }) {
  const words = useWords();
  const say = useSayRefusal();
  const fetchAttachment = async (attachment: string, name: string) => {
    try {
      const file = await fetchFile<typeof getOwnAttachment>('GET /api/console/tickets/:id/attachments/:attachment', {
        params: { id: ticket.id, attachment },
      });
      download(name, file);
    } catch (error) {
      say(error);
    }
  };
  return (
    <div>
      {ticket.messages.map((message) => (
        <article key={message.id} className={message.from === 'customer' ? 'talk-line mine' : 'talk-line'}>
          <div className="row between xs dim">
            <span>
              {message.from === 'system' ? (
                words.system
              ) : message.from === 'staff' ? (
                words.support
              ) : (
                <span>{words.sides[message.from]}</span>
              )}
            </span>
            <Moment at={message.created_at} />
          </div>
          <p dir="auto">{message.text}</p>
          {message.attachments.map((file) => (
            <button
              key={file.id}
              type="button"
              className="btn small"
              onClick={() => void fetchAttachment(file.id, file.name)}
            >
              <Icon name="clip" />
              <bdi>{file.name}</bdi>
            </button>
          ))}
        </article>
      ))}
    </div>
  );
}

function Answer({ id, closed }: { id: string; closed: boolean }) {
  const words = useWords();
  const [text, setText] = useState('');
  const [files, setFiles] = useState<Attached[]>([]);
  const answer = useChange<typeof answerOwnTicket>('POST /api/console/tickets/:id/messages', {
    stale: STALE,
    done() {
      setText('');
      setFiles([]);
    },
  });
  return (
    <section>
      <Form
        onSubmit={() =>
          answer.mutate({
            params: { id },
            body: { text: text.trim(), ...(files.length === 0 ? {} : { attachments: files }) },
          })
        }
      >
        <AreaField
          label={words.answer}
          hint={closed ? words.closed : undefined}
          value={text}
          onChange={setText}
          rows={3}
        />
        <AttachField
          files={files}
          onChange={setFiles}
          label={words.attach}
          hint={words.attachHint}
          tooLarge={words.tooLarge}
        />
        <button type="submit" className="btn main" disabled={text.trim() === '' || answer.isPending}>
          {words.send}
        </button>
      </Form>
    </section>
  );
}

function NewTicket({ onClose }: { onClose(id?: string): void }) {
  const words = useWords();
  const shared = useShared();
  const toast = useToast();
  const address = useAddress();
  const raising = new URLSearchParams(location.search).has('raise');
  const [category, setCategory] = useState(
    raising ? 'limits' : address.get('request') === undefined ? 'general' : 'technical',
  );
  const [subject, setSubject] = useState('');
  const [text, setText] = useState('');
  const [requests, setRequests] = useState<string[] | null>(
    address.get('request') === undefined ? null : [address.get('request') ?? ''],
  );
  const [files, setFiles] = useState<Attached[]>([]);
  const [which, setWhich] = useState('rpm');
  const [wanted, setWanted] = useState<string | null>(null);
  const open = useChange<typeof openTicket>('POST /api/console/tickets', {
    stale: STALE,
    done(ticket) {
      toast({ text: words.opened });
      onClose(ticket.id);
    },
  });
  const wish =
    category !== 'limits' || wanted === null
      ? {}
      : { wish: { rules: which === 'rpm' ? { rpm: Math.round(Number(wanted)) } : { caps: { [which]: wanted } } } };
  const submit = () =>
    open.mutate({
      body: {
        category: category as Ticket['category'],
        subject: subject.trim() === '' ? (words.categories[category] ?? category) : subject.trim(),
        text: text.trim(),
        ...(requests === null ? {} : { request_ids: requests }),
        ...(files.length === 0 ? {} : { attachments: files }),
        ...wish,
      },
    });
  return (
    <Dialog
      title={words.open}
      wide
      onClose={() => onClose()}
      footer={
        <>
          <button type="button" className="btn" onClick={() => onClose()}>
            {shared.cancel}
          </button>
          <button type="submit" form="new-ticket" className="btn main" disabled={text.trim() === '' || open.isPending}>
            {words.send}
          </button>
        </>
      }
    >
      <form
        id="new-ticket"
        className="stack m"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <SelectField
          label={words.category}
          value={category}
          onChange={setCategory}
          options={Object.entries(words.categories)}
        />
        {category === 'limits' && (
          <div className="columns">
            <SelectField
              label={words.which}
              value={which}
              onChange={setWhich}
              options={Object.entries(words.whichNames)}
            />
            <NumberField
              label={words.wanted}
              value={wanted}
              onChange={setWanted}
              {...(which === 'rpm' ? {} : { unit: shared.toman })}
            />
          </div>
        )}
        <TextField label={words.subject} value={subject} onChange={setSubject} dir="auto" maxLength={200} />
        <AreaField label={words.text} value={text} onChange={setText} />
        <div className="field">
          <span className="label">{words.requests}</span>
          <ListInput label={words.requests} placeholder={words.requestsHint} values={requests} onChange={setRequests} />
        </div>
        <AttachField
          files={files}
          onChange={setFiles}
          label={words.attach}
          hint={words.attachHint}
          tooLarge={words.tooLarge}
        />
      </form>
    </Dialog>
  );
}
