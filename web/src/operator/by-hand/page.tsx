/** What staff booked by hand, what waits for a second person, and the limits of each role. */

import type {
  decideApproval,
  getCreditLimits,
  listApprovals,
  listHandEntries,
  withdrawApproval,
} from '@dargah/api/admin/by-hand.ts';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useChange, usePages } from '../../api/read.ts';
import { AskingButton, Dialog } from '../../parts/dialog.tsx';
import { Amount, AmountCell, Moment } from '../../parts/figures.tsx';
import { AreaField } from '../../parts/form.tsx';
import { Empty, Note, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Segments } from '../../parts/segments.tsx';
import { type Column, MoreButton, Table } from '../../parts/table.tsx';
import { Actor } from '../../parts/trail-table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMe } from '../../session.tsx';
import { useShared } from '../../words/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { useStaffMay } from '../may.ts';
import { CreditLimitsForm } from './limits.tsx';
import { useHandWords } from './words.ts';

type Approval = Result<typeof listApprovals>['data'][number];
type Entry = Result<typeof listHandEntries>['data'][number];
type Tab = 'waiting' | 'decided' | 'entries' | 'limits';

const TONES: Record<Approval['state'], Tone> = {
  waiting: 'warn',
  approved: 'ok',
  refused: 'bad',
  withdrawn: 'off',
  expired: 'off',
};
const STALE = ['GET /api/admin/approvals', 'GET /api/admin/credit/entries', 'GET /api/admin/transfers'];

export default function ByHandPage() {
  const words = useHandWords();
  const address = useAddress();
  const seesAll = useStaffMay<typeof decideApproval>(['owner', 'finance']);
  const seesAny = useStaffMay<typeof getCreditLimits>(['owner', 'finance', 'support']);
  const tab = (address.get('tab') ?? 'waiting') as Tab;
  if (!seesAny) return <Empty page title={words.noWaiting} text={words.noWaitingText} />;
  const tabs = (Object.keys(words.tabs) as Tab[]).filter((one) => one !== 'entries' || seesAll);
  return (
    <>
      <PageHead title={words.title} lead={words.lead}>
        <Segments
          label={words.title}
          value={tab}
          onChange={(next) => address.set({ tab: next === 'waiting' ? undefined : next })}
          options={tabs.map((one) => [one, words.tabs[one]] as const)}
        />
      </PageHead>
      {tab === 'entries' ? (
        <Entries />
      ) : tab === 'limits' ? (
        <CreditLimitsForm />
      ) : (
        <Approvals waiting={tab === 'waiting'} />
      )}
    </>
  );
}

function Approvals({ waiting }: { waiting: boolean }) {
  const words = useHandWords();
  const [reviewed, setReviewed] = useState<Approval>();
  const query = waiting ? { state: 'waiting' as const, limit: 50 } : { limit: 50 };
  const list = usePages<typeof listApprovals>('GET /api/admin/approvals', { query });
  const rows = waiting ? list.rows : list.rows?.filter(({ state }) => state !== 'waiting');
  const label = words.tabs[waiting ? 'waiting' : 'decided'];
  const columns = useApprovalColumns(waiting, setReviewed);
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Panel label={label}>
      <Table
        label={label}
        rows={rows}
        idOf={({ id }) => id}
        empty={<Empty title={words.noWaiting} text={words.noWaitingText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={columns}
      />
      {reviewed !== undefined && <Review approval={reviewed} onClose={() => setReviewed(undefined)} />}
    </Panel>
  );
}

function useApprovalColumns(waiting: boolean, review: (approval: Approval) => void): Column<Approval>[] {
  const words = useHandWords();
  const mine = `staff:${useMe().person.id}`;
  const decides = useStaffMay<typeof decideApproval>(['owner', 'finance']);
  const withdraw = useChange<typeof withdrawApproval>('DELETE /api/admin/approvals/:id', { stale: STALE });
  return [
    {
      id: 'what',
      head: words.what,
      fold: 'c1',
      cell: ({ kind, reason }) => (
        <>
          <span className="strong">{words.kinds[kind]}</span>
          <bdi className="sub">{reason}</bdi>
        </>
      ),
    },
    { id: 'account', head: words.account, fold: 'c3', cell: ({ account_id: id }) => <AccountLink id={id} /> },
    { id: 'amount', head: words.amount, number: true, fold: 'c2', cell: ({ amount }) => <AmountCell value={amount} /> },
    {
      id: 'asked',
      head: words.askedBy,
      className: 'mid',
      cell: ({ asked_by: actor, asked_by_name: name, created_at: at }) => (
        <>
          <Actor actor={actor} name={name} forCustomer={false} />
          <span className="sub">
            <Moment at={at} />
          </span>
        </>
      ),
    },
    waiting
      ? { id: 'until', head: words.until, className: 'mid', cell: ({ expires_at: at }) => <Moment at={at} exact /> }
      : {
          id: 'state',
          head: words.state,
          fold: 'c4',
          cell: ({ state, alone, decided_by_name: name }) => (
            <>
              <Pill tone={TONES[state]}>{words.states[state]}</Pill>
              {alone ? <span className="sub">{words.alone}</span> : name !== null && <bdi className="sub">{name}</bdi>}
            </>
          ),
        },
    {
      id: 'act',
      head: '',
      fold: 'c4',
      cell: (approval) => (
        <span className="row">
          {waiting && decides && (
            <button type="button" className="btn small" onClick={() => review(approval)}>
              {words.decide}
            </button>
          )}
          {waiting && approval.asked_by === mine && (
            <AskingButton
              title={words.withdrawTitle}
              text={words.withdrawText}
              onConfirm={() => withdraw.mutate({ params: { id: approval.id } })}
            >
              {words.withdraw}
            </AskingButton>
          )}
        </span>
      ),
    },
  ];
}

function Review({ approval, onClose }: { approval: Approval; onClose(): void }) {
  const words = useHandWords();
  const shared = useShared();
  const isOwn = approval.asked_by === `staff:${useMe().person.id}`;
  const [note, setNote] = useState('');
  const decide = useChange<typeof decideApproval>('POST /api/admin/approvals/:id/decision', {
    quiet: true,
    stale: STALE,
    done: onClose,
  });
  const send = (approve: boolean) =>
    decide.mutate({
      params: { id: approval.id },
      body: { approve, ...(note.trim() === '' ? {} : { note: note.trim() }) },
    });
  return (
    <Dialog
      title={words.decideTitle}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button type="button" className="btn stop" disabled={decide.isPending} onClick={() => send(false)}>
            {words.refuse}
          </button>
          <button type="button" className="btn main" disabled={decide.isPending} onClick={() => send(true)}>
            {words.approve}
          </button>
        </>
      }
    >
      <div className="stack m">
        {isOwn && <Note tone="warn">{words.own}</Note>}
        <Facts approval={approval} />
        <AreaField
          label={words.decisionNote}
          name="note"
          dir="auto"
          value={note}
          onChange={setNote}
          error={decide.error?.message}
        />
      </div>
    </Dialog>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const words = useHandWords();
  const { number, note, public_note: publicNote } = approval;
  return (
    <dl className="facts">
      <dt>{words.what}</dt>
      <dd>{words.kinds[approval.kind]}</dd>
      <dt>{words.account}</dt>
      <dd>
        <AccountLink id={approval.account_id} />
      </dd>
      <dt>{words.amount}</dt>
      <dd>
        <Amount value={approval.amount} unit />
      </dd>
      <dt>{words.balanceBefore}</dt>
      <dd>
        <Amount value={approval.balance_before} unit />
      </dd>
      {approval.kind === 'receipt' && number !== null && (
        <>
          <dt>{words.number}</dt>
          <dd>
            <bdi>{number}</bdi>
          </dd>
        </>
      )}
      <dt>{words.why}</dt>
      <dd>
        <bdi>{approval.reason}</bdi>
      </dd>
      {note !== null && (
        <>
          <dt>{words.note}</dt>
          <dd>
            <bdi>{note}</bdi>
          </dd>
        </>
      )}
      {publicNote !== null && (
        <>
          <dt>{words.publicNote}</dt>
          <dd>
            <bdi>{publicNote}</bdi>
          </dd>
        </>
      )}
    </dl>
  );
}

function Entries() {
  const words = useHandWords();
  const list = usePages<typeof listHandEntries>('GET /api/admin/credit/entries', { query: { limit: 50 } });
  const columns = useEntryColumns();
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Panel label={words.tabs.entries}>
      <Table
        label={words.tabs.entries}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={<Empty title={words.noEntries} text={words.noEntriesText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={columns}
      />
    </Panel>
  );
}

function useEntryColumns(): Column<Entry>[] {
  const words = useHandWords();
  return [
    {
      id: 'time',
      head: words.time,
      fold: 'c3',
      className: 'mid nowrap',
      cell: ({ created_at: at }) => <Moment at={at} />,
    },
    {
      id: 'what',
      head: words.what,
      fold: 'c1',
      cell: ({ kind, note, reason }) => (
        <>
          <span className="strong">{words.kinds[kind]}</span>
          <bdi className="sub">{note ?? (reason === null ? '' : (words.reasons[reason as 'other'] ?? reason))}</bdi>
        </>
      ),
    },
    {
      id: 'account',
      head: words.account,
      cell: ({ account_id: id }) => (id === null ? '—' : <AccountLink id={id} />),
    },
    { id: 'amount', head: words.amount, number: true, fold: 'c2', cell: ({ amount }) => <AmountCell value={amount} /> },
    {
      id: 'by',
      head: words.by,
      fold: 'c4',
      cell: ({ actor, actor_name: name, approved_by_name: approver, alone }) => (
        <>
          <Actor actor={actor} name={name} forCustomer={false} />
          {alone ? (
            <span className="sub">{words.alone}</span>
          ) : (
            approver !== null && <span className="sub">{words.approvedBy(approver)}</span>
          )}
        </>
      ),
    },
  ];
}
