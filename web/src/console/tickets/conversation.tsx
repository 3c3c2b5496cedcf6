/** One ticket: its messages, and an answer to them. */
import { useState } from 'react';
import type {
  answerOwnTicket,
  closeOwnTicket,
  getOwnAttachment,
  getOwnTicket,
} from '../../../../server/src/http/console/routes/tickets.ts';
import { fetchFile, type Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { type Attached, AttachedFiles, AttachField } from '../../parts/attach.tsx';
import { Id } from '../../parts/copyable.tsx';
import { useLimitName } from '../../parts/declared.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Moment } from '../../parts/figures.tsx';
import { AreaField, Form } from '../../parts/form.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { STALE, TONES } from './states.ts';
import { useTexts } from './texts.ts';

export type OwnTicket = Result<typeof getOwnTicket>;

/** The limits a ticket asks for, each with its value. */
function Asked({ wish }: { wish: NonNullable<OwnTicket['wish']> }) {
  const nameOf = useLimitName();
  const shared = useShared();
  const format = useFormat();
  const { rules = {} } = wish as { rules?: { rpm?: number | null; caps?: Record<string, string | number | null> } };
  const asked = [...('rpm' in rules ? [['rpm', rules.rpm] as const] : []), ...Object.entries(rules.caps ?? {})];
  return (
    <ul className="asked">
      {asked.map(([name, value]) => (
        <li key={name}>
          {nameOf(name)}:{' '}
          {value === null || value === undefined ? shared.unlimited : <b>{format.money(String(value))}</b>}
          {name !== 'rpm' && value != null && ` ${shared.toman}`}
        </li>
      ))}
    </ul>
  );
}

export function Conversation({ id, onClose }: { id: string; onClose(): void }) {
  const texts = useTexts();
  const shared = useShared();
  const read = useRead<typeof getOwnTicket>('GET /api/console/tickets/:id', { params: { id } });
  const close = useChange<typeof closeOwnTicket>('POST /api/console/tickets/:id/close', { stale: STALE });
  const ticket = read.data;
  return (
    <Drawer
      title={<bdi>{ticket?.subject ?? texts.title}</bdi>}
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
            {texts.close}
          </button>
        )
      }
    >
      {read.error !== null && read.data === undefined ? (
        <Trouble error={read.error} />
      ) : ticket === undefined ? (
        <p className="pad dim">{shared.loading}</p>
      ) : (
        <>
          <section>
            <dl className="facts">
              <dt>{texts.state}</dt>
              <dd>
                <Pill tone={TONES[ticket.state] ?? 'info'}>{texts.states[ticket.state]}</Pill>
              </dd>
              {ticket.wish_state !== null && (
                <>
                  <dt>{texts.wish}</dt>
                  <dd>
                    <Pill
                      tone={ticket.wish_state === 'approved' ? 'ok' : ticket.wish_state === 'asked' ? 'info' : 'warn'}
                    >
                      {texts.limitRequestStates[ticket.wish_state]}
                    </Pill>
                    {ticket.wish != null && <Asked wish={ticket.wish} />}
                  </dd>
                </>
              )}
              {ticket.request_ids.length > 0 && (
                <>
                  <dt>{texts.requests}</dt>
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

function Messages({ ticket }: { ticket: OwnTicket }) {
  const texts = useTexts();
  const bring = (attachment: string) =>
    fetchFile<typeof getOwnAttachment>('GET /api/console/tickets/:id/attachments/:attachment', {
      params: { id: ticket.id, attachment },
    });
  return (
    <div>
      {ticket.messages.map((message) => (
        <article key={message.id} className={message.from === 'customer' ? 'talk-line mine' : 'talk-line'}>
          <div className="row between xs dim">
            <span>
              {message.from === 'system' ? (
                texts.system
              ) : message.from === 'staff' ? (
                texts.support
              ) : (
                <span>{texts.sides[message.from]}</span>
              )}
            </span>
            <Moment at={message.created_at} />
          </div>
          <p dir="auto">
            {message.from === 'system' ? (labelOf(texts.said, message.text) ?? message.text) : message.text}
          </p>
          <AttachedFiles files={message.attachments} bring={bring} />
        </article>
      ))}
    </div>
  );
}

function Answer({ id, closed }: { id: string; closed: boolean }) {
  const texts = useTexts();
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
          label={texts.answer}
          hint={closed ? texts.closed : undefined}
          value={text}
          onChange={setText}
          rows={3}
        />
        <AttachField
          files={files}
          onChange={setFiles}
          label={texts.attach}
          hint={texts.attachHint}
          tooLarge={texts.tooLarge}
        />
        <button type="submit" className="btn main" disabled={text.trim() === '' || answer.isPending}>
          {texts.send}
        </button>
      </Form>
    </section>
  );
}
