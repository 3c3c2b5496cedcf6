/** Bills of providers: entered once, compared with what was counted, paid once. */

import type { enterBill, listBills, payBill } from '@dargah/api/admin/bills.ts';
import { useState } from 'react';
import type { Result } from '../../../api/call.ts';
import { usePages } from '../../../api/read.ts';
import { useFormat } from '../../../format.ts';
import { AmountCell } from '../../../parts/figures.tsx';
import { Empty, Note } from '../../../parts/page-frame.tsx';
import { Pill } from '../../../parts/pill.tsx';
import { type Column, MoreButton, Table } from '../../../parts/table.tsx';
import { Trouble } from '../../../parts/trouble.tsx';
import { useStaffMay } from '../../may.ts';
import { BooksHead } from '../books-tabs.tsx';
import { EnterBill, PayBill } from './dialogs.tsx';
import { useBillTexts } from './texts.ts';

type Bill = Result<typeof listBills>['data'][number];
/** Above this difference a bill and the count disagree. */
const OFF_PERCENT = 5;

export default function BillsPage() {
  const texts = useBillTexts();
  const [entering, setEntering] = useState(false);
  const [paying, setPaying] = useState<Bill>();
  const mayEnter = useStaffMay<typeof enterBill>(['owner', 'finance']);
  const list = usePages<typeof listBills>('GET /api/admin/bills', { query: { limit: 50 } });
  const columns = useColumns(setPaying);
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <>
      <BooksHead page="bills" lead={texts.lead} />
      <section className="panel" aria-label={texts.title}>
        <div className="head ruled">
          <h2>{texts.title}</h2>
          {mayEnter && (
            <div className="end">
              <button type="button" className="btn small" onClick={() => setEntering(true)}>
                {texts.enter}
              </button>
            </div>
          )}
        </div>
        <Table
          label={texts.title}
          rows={list.rows}
          idOf={({ id }) => id}
          empty={<Empty title={texts.none} text={texts.noneText} />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={columns}
        />
        <Note tone="info">{texts.buyHint}</Note>
      </section>
      {entering && <EnterBill onClose={() => setEntering(false)} />}
      {paying !== undefined && <PayBill bill={paying} onClose={() => setPaying(undefined)} />}
    </>
  );
}

function useColumns(pay: (bill: Bill) => void): Column<Bill>[] {
  const texts = useBillTexts();
  const format = useFormat();
  const mayPay = useStaffMay<typeof payBill>(['owner', 'finance']);
  const day = (text: string) => format.date(`${text}T12:00:00Z`);
  return [
    {
      id: 'provider',
      head: texts.provider,
      fold: 'c1',
      cell: ({ provider, number }) => (
        <>
          <bdi className="strong">{provider}</bdi>
          <span className="sub">
            <bdi>{number}</bdi>
          </span>
        </>
      ),
    },
    {
      id: 'period',
      head: texts.period,
      fold: 'c3',
      className: 'mid',
      cell: ({ first_day: first, last_day: last }) => `${day(first)} – ${day(last)}`,
    },
    {
      id: 'amount',
      head: texts.amount,
      number: true,
      fold: 'c2',
      cell: ({ amount, units, unit }) => (
        <>
          <AmountCell value={amount} />
          <span className="sub">
            <bdi>
              {format.number(units, 2)} {unit}
            </bdi>
          </span>
        </>
      ),
    },
    {
      id: 'accrued',
      head: texts.accrued,
      number: true,
      cell: ({ accrued }) => <AmountCell value={accrued} />,
    },
    {
      id: 'state',
      head: texts.state,
      fold: 'c4',
      cell: (bill) => (
        <span className="row">
          <Pill tone={bill.state === 'paid' ? 'ok' : 'warn'}>{texts.states[bill.state]}</Pill>
          <OffPill bill={bill} />
          {bill.state === 'open' && mayPay && (
            <button type="button" className="btn small" onClick={() => pay(bill)}>
              {texts.pay}
            </button>
          )}
        </span>
      ),
    },
  ];
}

/** Shown with the state, because on a phone the count folds away. */
function OffPill({ bill: { off_percent: off } }: { bill: Bill }) {
  const texts = useBillTexts();
  const format = useFormat();
  if (off === null) return <Pill tone="bad">{texts.nothingCounted}</Pill>;
  if (Math.abs(off) <= OFF_PERCENT) return null;
  const percent = format.number(Math.abs(off), 1);
  return <Pill tone="bad">{off > 0 ? texts.above(percent) : texts.below(percent)}</Pill>;
}
