/** One account, where support works: its head in one answer, notes of colleagues beside, and a tab for each kind of thing by its address. */

import type { blockAccount, closeAccountFor, getDesk } from '@dargah/api/admin/desk.ts';
import type { viewAs } from '@dargah/api/admin/people.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { AccountHistory, AccountRequests } from './account-log.tsx';
import { AccountName } from './account-name.tsx';
import { AccountTickets } from './account-tickets.tsx';
import { AskReason } from './ask-reason.tsx';
import { BlockDialog, UnblockDialog } from './block.tsx';
import { CloseDialog } from './close.tsx';
import { useCloseTexts } from './close-texts.ts';
import { AccountState, DeskHead } from './desk-head.tsx';
import { useDeskTexts } from './desk-texts.ts';
import { AccountKeys } from './keys.tsx';
import { AccountLimits } from './limits.tsx';
import { AccountInvoices, AccountMoney } from './money.tsx';
import { Notes } from './notes.tsx';
import { AccountPeople } from './people.tsx';

type Desk = Result<typeof getDesk>;
type Asked = 'view' | 'block' | 'unblock' | 'close';

export default function AccountPage({ params }: { params: { id: string; tab?: string } }) {
  const texts = useDeskTexts();
  const { id } = params;
  const [asked, setAsked] = useState<Asked>();
  const [, navigate] = useLocation();
  const read = useRead<typeof getDesk>('GET /api/admin/accounts/:id/desk', { params: { id } });
  const tabs = Object.keys(texts.tabs) as (keyof typeof texts.tabs)[];
  const tab = tabs.find((one) => one === params.tab) ?? 'overview';
  const at = `/operator/accounts/${encodeURIComponent(id)}`;
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const desk = read.data;
  return (
    <>
      <Head id={id} desk={desk} onAsk={setAsked} />
      <div className="stack">
        {desk === undefined ? (
          <span className="skel block" />
        ) : (
          <DeskHead desk={desk} onUnblock={() => setAsked('unblock')} />
        )}
        <Segments
          label={texts.state}
          value={tab}
          onChange={(next) => navigate(next === 'overview' ? at : `${at}/${next}`)}
          options={tabs.map((one) => [one, texts.tabs[one]] as const)}
        />
        <div className="account-desk">
          <div>
            <Shown key={tab} tab={tab} id={id} />
          </div>
          <Notes id={id} />
        </div>
      </div>
      {desk !== undefined && <Asking asked={asked} desk={desk} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function Shown({ tab, id }: { tab: string; id: string }) {
  const texts = useDeskTexts();
  switch (tab) {
    case 'people':
      return <AccountPeople id={id} />;
    case 'keys':
      return <AccountKeys id={id} />;
    case 'requests':
      return <AccountRequests id={id} />;
    case 'money':
      return <AccountMoney id={id} />;
    case 'invoices':
      return <AccountInvoices id={id} />;
    case 'tickets':
      return <AccountTickets id={id} />;
    case 'limits':
      return <AccountLimits id={id} />;
    case 'history':
      return <AccountHistory id={id} />;
    default:
      return (
        <div className="stack">
          <AccountKeys id={id} />
          <AccountRequests id={id} limit={10} title={texts.tabs.requests} />
        </div>
      );
  }
}

function Head({ id, desk, onAsk }: { id: string; desk: Desk | undefined; onAsk(what: Asked): void }) {
  const texts = useDeskTexts();
  const common = useTexts();
  const format = useFormat();
  const mayView = useStaffMay<typeof viewAs>(['owner', 'support']);
  const mayBlock = useStaffMay<typeof blockAccount>(['owner', 'support']);
  const mayClose = useStaffMay<typeof closeAccountFor>(['owner', 'support']);
  const closing = useCloseTexts();
  const title =
    desk === undefined ? (
      ''
    ) : (
      <span className="row">
        <AccountName name={desk.account.name} />
        <AccountState desk={desk} />
      </span>
    );
  return (
    <PageHead
      title={title}
      lead={
        <span className="row">
          <Id value={id} copy />
          {desk !== undefined && <span>{texts.since(format.date(desk.account.created_at))}</span>}
          {desk?.account.managed_by === 'config' && <span className="tag">{texts.file}</span>}
        </span>
      }
    >
      {mayView && (
        <button type="button" className="btn" onClick={() => onAsk('view')}>
          <Icon name="eye" />
          {common.viewAs}
        </button>
      )}
      {mayBlock && desk !== undefined && desk.block === null && desk.closed_at === null && (
        <button type="button" className="btn danger" onClick={() => onAsk('block')}>
          {texts.block}
        </button>
      )}
      {mayClose && desk !== undefined && desk.closed_at === null && desk.account.managed_by !== 'config' && (
        <button type="button" className="btn danger" onClick={() => onAsk('close')}>
          {closing.close}
        </button>
      )}
    </PageHead>
  );
}

function Asking({ asked, desk, onClose }: { asked: Asked | undefined; desk: Desk; onClose(): void }) {
  if (asked === 'view') return <ViewAs id={desk.account.id} onClose={onClose} />;
  if (asked === 'block') return <BlockDialog desk={desk} onClose={onClose} />;
  if (asked === 'close') return <CloseDialog desk={desk} onClose={onClose} />;
  return asked === 'unblock' ? <UnblockDialog desk={desk} onClose={onClose} /> : null;
}

function ViewAs({ id, onClose }: { id: string; onClose(): void }) {
  const texts = useTexts();
  const view = useChange<typeof viewAs>('POST /api/admin/accounts/:id/view-as', {
    quiet: true,
    done: () => location.assign('/console'),
  });
  return (
    <AskReason
      title={texts.viewAs}
      act={texts.viewAs}
      busy={view.isPending}
      error={view.error?.message}
      onClose={onClose}
      onAct={(reason) => view.mutate({ params: { id }, body: { reason } })}
    >
      <p>{texts.viewReason}</p>
    </AskReason>
  );
}
