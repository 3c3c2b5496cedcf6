/** Tickets of one account; support opens one for the customer, and writes in any of them. */
import type { openTicketFor } from '@dargah/api/admin/desk.ts';
import type { listTickets } from '@dargah/api/admin/support.ts';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { useChange, usePages } from '../../api/read.ts';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { AreaField, SelectField, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { useTicketTexts } from '../tickets/texts.ts';
import { Ticket } from '../tickets/ticket.tsx';
import { useDeskTexts } from './desk-texts.ts';

const TONES: Record<string, Tone> = { open: 'warn', answered: 'ok', closed: 'off' };

export function AccountTickets({ id }: { id: string }) {
  const mayRead = useStaffMay<typeof listTickets>(['owner', 'support', 'finance']);
  const texts = useDeskTexts();
  if (mayRead) return <TicketList id={id} />;
  return (
    <Panel title={texts.tabs.tickets}>
      <div className="pad">
        <WhoMay<typeof listTickets> roles={['owner', 'support', 'finance']} />
      </div>
    </Panel>
  );
}

function TicketList({ id }: { id: string }) {
  const texts = useDeskTexts();
  const common = useTexts();
  const own = useTicketTexts();
  const address = useAddress();
  const [opening, setOpening] = useState(false);
  const list = usePages<typeof listTickets>('GET /api/admin/tickets', { query: { account_id: id, limit: 50 } });
  const shown = address.get('ticket');
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <>
      <Panel
        title={texts.tabs.tickets}
        aside={
          <button type="button" className="btn small" onClick={() => setOpening(true)}>
            <Icon name="plus" />
            {texts.openTicket}
          </button>
        }
      >
        <Table
          label={texts.tabs.tickets}
          rows={list.rows}
          idOf={(ticket) => ticket.id}
          selected={shown}
          onOpen={(ticket) => address.set({ ticket: ticket.id })}
          skeleton={2}
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
              id: 'category',
              head: texts.category,
              fold: 'c4',
              cell: ({ category }) => texts.categories[category],
            },
            {
              id: 'state',
              head: common.state,
              fold: 'c2',
              cell: ({ state }) => <Pill tone={TONES[state] ?? 'info'}>{own.ticketStates[state]}</Pill>,
            },
            {
              id: 'at',
              head: common.time,
              fold: 'c3',
              className: 'mid nowrap',
              cell: ({ updated_at: at }) => <Moment at={at} />,
            },
          ]}
        />
      </Panel>
      {opening && <OpenTicket id={id} onClose={() => setOpening(false)} />}
      {shown !== undefined && <Ticket id={shown} onClose={() => address.set({ ticket: undefined })} />}
    </>
  );
}

function OpenTicket({ id, onClose }: { id: string; onClose(): void }) {
  const texts = useDeskTexts();
  const own = useTicketTexts();
  const [category, setCategory] = useState<keyof typeof texts.categories>('general');
  const [subject, setSubject] = useState('');
  const [text, setText] = useState('');
  const open = useChange<typeof openTicketFor>('POST /api/admin/accounts/:id/tickets', {
    quiet: true,
    stale: ['GET /api/admin/tickets', 'GET /api/admin/accounts/:id/desk', 'GET /api/admin/accounts/:id/history'],
    done: onClose,
  });
  return (
    <Dialog
      title={texts.openTicket}
      wide
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={subject.trim() === '' || text.trim() === '' || open.isPending}
          onAct={() => open.mutate({ params: { id }, body: { category, subject: subject.trim(), text: text.trim() } })}
        >
          {texts.send}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <p className="mid">{texts.openTicketText}</p>
        <SelectField
          label={texts.category}
          value={category}
          onChange={(next) => setCategory(next as typeof category)}
          options={Object.entries(texts.categories)}
        />
        <TextField
          label={own.subject}
          name="subject"
          dir="auto"
          maxLength={200}
          value={subject}
          onChange={setSubject}
        />
        <AreaField label={texts.message} name="text" value={text} onChange={setText} error={open.error?.message} />
      </div>
    </Dialog>
  );
}
