/** One ticket of a customer: what it asks for, what was said, and an answer. A limit request is approved with one click and does what it says. */

import type { answerTicket, assignTicket, decideWish, getAttachment, getTicket } from '@dargah/api/admin/support.ts';
import { useState } from 'react';
import { fetchFile, type Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { type Attached, AttachedFiles, AttachField } from '../../parts/attach.tsx';
import { Id } from '../../parts/copyable.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Moment } from '../../parts/figures.tsx';
import { AreaField } from '../../parts/form.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { AccountLink } from '../account-link.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { LimitRequest } from './limit-request.tsx';
import { useTicketTexts } from './texts.ts';

type Read = Result<typeof getTicket>;
const STALE = ['GET /api/admin/tickets', 'GET /api/admin/tickets/:id'];

export function Ticket({ id, onClose }: { id: string; onClose(): void }) {
  const texts = useTexts();
  const mayAnswer = useStaffMay<typeof answerTicket>(['owner', 'support', 'finance']);
  const mayDecide = useStaffMay<typeof decideWish>(['owner', 'support']);
  const read = useRead<typeof getTicket>('GET /api/admin/tickets/:id', { params: { id } });
  const ticket = read.data;
  return (
    <Drawer
      title={<bdi>{ticket?.subject ?? texts.nav.tickets}</bdi>}
      onClose={onClose}
      footer={mayDecide && ticket?.wish_state === 'asked' ? <Decision id={id} /> : undefined}
    >
      {read.error !== null && read.data === undefined && <Trouble error={read.error} />}
      {ticket !== undefined && (
        <>
          <About ticket={ticket} />
          {mayAnswer && <Take id={id} />}
          <Messages ticket={ticket} />
          {mayAnswer && <Answer key={id} id={id} first={ticket.wish_state !== 'asked'} />}
        </>
      )}
    </Drawer>
  );
}

function Take({ id }: { id: string }) {
  const own = useTicketTexts();
  const assign = useChange<typeof assignTicket>('POST /api/admin/tickets/:id/assign', { stale: STALE });
  const give = (to: 'me' | 'nobody') => assign.mutate({ params: { id }, body: { to } });
  return (
    <div className="row">
      <button type="button" className="btn small" disabled={assign.isPending} onClick={() => give('me')}>
        {own.take}
      </button>
      <button type="button" className="btn small plain" disabled={assign.isPending} onClick={() => give('nobody')}>
        {own.giveBack}
      </button>
    </div>
  );
}

function Decision({ id }: { id: string }) {
  const own = useTicketTexts();
  const decide = useChange<typeof decideWish>('POST /api/admin/tickets/:id/wish', { stale: STALE });
  return (
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
  );
}

function About({ ticket }: { ticket: Read }) {
  const texts = useTexts();
  const own = useTicketTexts();
  return (
    <section className="stack gap-m">
      <dl className="facts">
        <dt>{texts.account}</dt>
        <dd>
          <AccountLink id={ticket.account_id} />
        </dd>
        {ticket.request_ids.length > 0 && (
          <>
            <dt>{texts.nav.requests}</dt>
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
        <div className="stack gap-s">
          <h3>{own.wish}</h3>
          <LimitRequest account={ticket.account_id} wish={ticket.wish} decided={ticket.wish_state !== 'asked'} />
        </div>
      )}
    </section>
  );
}

function Messages({ ticket }: { ticket: Read }) {
  const own = useTicketTexts();
  const bring = (attachment: string) =>
    fetchFile<typeof getAttachment>('GET /api/admin/tickets/:id/attachments/:attachment', {
      params: { id: ticket.id, attachment },
    });
  return (
    <div className="under">
      {ticket.messages.map((message) => (
        <article key={message.id} className={message.from === 'staff' ? 'talk-line mine' : 'talk-line'}>
          <div className="row between xs dim">
            <span title={message.author}>{own.sides[message.from]}</span>
            <Moment at={message.created_at} />
          </div>
          <p dir="auto">
            {message.from === 'system' ? (labelOf(own.said, message.text) ?? message.text) : message.text}
          </p>
          <AttachedFiles files={message.attachments} bring={bring} />
        </article>
      ))}
    </div>
  );
}

/** `first`: nothing else on the page waits for a decision, so sending is what is done here. */
function Answer({ id, first }: { id: string; first: boolean }) {
  const own = useTicketTexts();
  const [text, setText] = useState('');
  const [files, setFiles] = useState<Attached[]>([]);
  const answer = useChange<typeof answerTicket>('POST /api/admin/tickets/:id/messages', {
    stale: STALE,
    done() {
      setText('');
      setFiles([]);
    },
  });
  const send = (close: boolean) =>
    answer.mutate({
      params: { id },
      body: { text: text.trim(), close, ...(files.length === 0 ? {} : { attachments: files }) },
    });
  const waits = text.trim() === '' || answer.isPending;
  return (
    <section className="stack gap-m under">
      <AreaField label={own.answer} value={text} onChange={setText} rows={3} />
      <AttachField files={files} onChange={setFiles} label={own.attach} hint={own.attachHint} tooLarge={own.tooLarge} />
      <div className="row">
        <button type="button" className={first ? 'btn main' : 'btn'} disabled={waits} onClick={() => send(false)}>
          {own.send}
        </button>
        <button type="button" className="btn" disabled={waits} onClick={() => send(true)}>
          {own.sendClose}
        </button>
      </div>
    </section>
  );
}
