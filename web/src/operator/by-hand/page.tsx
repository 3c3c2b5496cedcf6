/** What staff booked by hand, what waits for a second person, and the limits of each role. */

import type { decideApproval, getCreditLimits, listApprovals, withdrawApproval } from '@dargah/api/admin/by-hand.ts';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { useChange, usePages } from '../../api/read.ts';
import { Actor } from '../../parts/audit-log-table.tsx';
import { AskingButton } from '../../parts/dialog.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Segments } from '../../parts/segments.tsx';
import { type Column, MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMe } from '../../session.tsx';
import { AccountLink } from '../account-link.tsx';
import { useStaffMay } from '../may.ts';
import { HandEntries } from './entries.tsx';
import { CreditLimitsForm } from './limits.tsx';
import { type Approval, Review, APPROVAL_STALE as STALE } from './review.tsx';
import { useHandTexts } from './texts.ts';

type Tab = 'waiting' | 'decided' | 'entries' | 'limits';

const TONES: Record<Approval['state'], Tone> = {
  waiting: 'warn',
  approved: 'ok',
  refused: 'bad',
  withdrawn: 'off',
  expired: 'off',
};

export default function ByHandPage() {
  const texts = useHandTexts();
  const address = useAddress();
  const seesAll = useStaffMay<typeof decideApproval>(['owner', 'finance']);
  const seesAny = useStaffMay<typeof getCreditLimits>(['owner', 'finance', 'support']);
  if (!seesAny) return <Empty page title={texts.noWaiting} text={texts.noWaitingText} />;
  const tabs = (Object.keys(texts.tabs) as Tab[]).filter((one) => one !== 'entries' || seesAll);
  const tab = tabs.find((one) => one === address.get('tab')) ?? 'waiting';
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Segments
          label={texts.title}
          value={tab}
          onChange={(next) => address.set({ tab: next === 'waiting' ? undefined : next })}
          options={tabs.map((one) => [one, texts.tabs[one]] as const)}
        />
      </PageHead>
      {tab === 'entries' ? (
        <HandEntries />
      ) : tab === 'limits' ? (
        <CreditLimitsForm />
      ) : (
        <Approvals waiting={tab === 'waiting'} />
      )}
    </>
  );
}

function Approvals({ waiting }: { waiting: boolean }) {
  const texts = useHandTexts();
  const [reviewed, setReviewed] = useState<Approval>();
  const query = waiting ? { state: 'waiting' as const, limit: 50 } : { limit: 50 };
  const list = usePages<typeof listApprovals>('GET /api/admin/approvals', { query });
  const rows = waiting ? list.rows : list.rows?.filter(({ state }) => state !== 'waiting');
  const label = texts.tabs[waiting ? 'waiting' : 'decided'];
  const columns = useApprovalColumns(waiting, setReviewed);
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Panel label={label}>
      <Table
        label={label}
        rows={rows}
        idOf={({ id }) => id}
        empty={<Empty title={texts.noWaiting} text={texts.noWaitingText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={columns}
      />
      {reviewed !== undefined && <Review approval={reviewed} onClose={() => setReviewed(undefined)} />}
    </Panel>
  );
}

function useApprovalColumns(waiting: boolean, review: (approval: Approval) => void): Column<Approval>[] {
  const texts = useHandTexts();
  const mine = `staff:${useMe().person.id}`;
  const decides = useStaffMay<typeof decideApproval>(['owner', 'finance']);
  const withdraw = useChange<typeof withdrawApproval>('DELETE /api/admin/approvals/:id', { stale: STALE });
  return [
    {
      id: 'what',
      head: texts.what,
      fold: 'c1',
      cell: ({ kind, reason }) => (
        <>
          <span className="strong">{texts.kinds[kind]}</span>
          <span className="sub">
            <bdi>{reason}</bdi>
          </span>
        </>
      ),
    },
    { id: 'account', head: texts.account, fold: 'c3', cell: ({ account_id: id }) => <AccountLink id={id} /> },
    { id: 'amount', head: texts.amount, number: true, fold: 'c2', cell: ({ amount }) => <AmountCell value={amount} /> },
    {
      id: 'asked',
      head: texts.askedBy,
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
      ? { id: 'until', head: texts.until, className: 'mid', cell: ({ expires_at: at }) => <Moment at={at} exact /> }
      : {
          id: 'state',
          head: texts.state,
          fold: 'c4',
          cell: ({ state, alone, decided_by_name: name }) => (
            <>
              <Pill tone={TONES[state]}>{texts.states[state]}</Pill>
              {alone ? (
                <span className="sub">{texts.alone}</span>
              ) : (
                name !== null && (
                  <span className="sub">
                    <bdi>{name}</bdi>
                  </span>
                )
              )}
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
              {texts.decide}
            </button>
          )}
          {waiting && approval.asked_by === mine && (
            <AskingButton
              title={texts.withdrawTitle}
              text={texts.withdrawText}
              onConfirm={() => withdraw.mutate({ params: { id: approval.id } })}
            >
              {texts.withdraw}
            </AskingButton>
          )}
        </span>
      ),
    },
  ];
}
