/** One order: how it came to its state, its lines in the books, its invoice, and what can be done. */

import type { checkPayment, getPayment, verifyPayment } from '@dargah/api/admin/payments.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { type Format, useFormat } from '../../format.ts';
import { Actor } from '../../parts/audit-log-table.tsx';
import { Id } from '../../parts/copyable.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { Amount, AmountCell, Moment } from '../../parts/figures.tsx';
import { PageHead, Panel } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { AccountLink, NamesContext } from '../account-link.tsx';
import { BookName } from '../book-name.tsx';
import { useBookTexts } from '../book-texts.ts';
import { GatewayName } from '../gateway-name.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { actsOn, type OrderAct, OrderDialog, STALE } from './acts.tsx';
import { BankCheck } from './bank-check.tsx';
import { OrderState } from './order-state.tsx';
import { usePaymentTexts } from './texts.ts';

type Payment = Result<typeof getPayment>;
const ADDRESS = 'GET /api/admin/payments/:id';

export default function OrderPage({ params }: { params: { id: string } }) {
  const own = usePaymentTexts();
  const mayRead = useStaffMay<typeof checkPayment>(['owner', 'finance']);
  const read = useRead<typeof getPayment>(ADDRESS, { params });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const order = read.data;
  if (order === undefined) return <span className="skel block" />;
  return (
    <NamesContext value={{ [order.account_id]: order.account_name }}>
      <PageHead title={own.order} lead={<Id value={order.id} copy />}>
        <Acts order={order} />
      </PageHead>
      <div className="stack">
        <Panel label={own.order}>
          <div className="pad stack">
            <Facts order={order} />
            {order.gateway === 'bank-transfer' && order.state === 'sent' && mayRead && <BankCheck order={order.id} />}
          </div>
        </Panel>
        <Events order={order} />
        <Entries order={order} />
        <Invoices order={order} />
      </div>
    </NamesContext>
  );
}

function Acts({ order }: { order: Payment }) {
  const own = usePaymentTexts();
  const mayAct = useStaffMay<typeof verifyPayment>(['owner', 'finance']);
  const [act, setAct] = useState<OrderAct>();
  const verify = useChange<typeof verifyPayment>('POST /api/admin/payments/:id/verify', { stale: [...STALE, ADDRESS] });
  const isOver = order.state === 'credited' || order.state === 'refunded';
  if (!mayAct) return null;
  return (
    <>
      {!isOver && (
        <button
          type="button"
          className="btn"
          disabled={verify.isPending}
          onClick={() => verify.mutate({ params: { id: order.id } })}
        >
          {own.verify}
        </button>
      )}
      {actsOn(order).map((one) => (
        <button
          key={one}
          type="button"
          className={one === 'refund' || one === 'reject' ? 'btn danger' : 'btn'}
          onClick={() => setAct(one)}
        >
          {own[one]}
        </button>
      ))}
      {act !== undefined && <OrderDialog act={act} order={order} onClose={() => setAct(undefined)} />}
    </>
  );
}

function Facts({ order }: { order: Payment }) {
  const texts = useTexts();
  const format = useFormat();
  const own = usePaymentTexts();
  const { external_id: external, reference, card, fee, problem, refunded, receipt } = order;
  return (
    <FactList
      facts={[
        [texts.state, <OrderState key="state" order={order} />],
        [texts.account, <AccountLink key="account" id={order.account_id} />],
        [own.gateway, <GatewayName key="gateway" id={order.gateway} />],
        [own.amount, <Amount key="amount" value={order.amount} unit />],
        [own.vat, <Amount key="vat" value={order.vat} unit />],
        [own.payable, <Amount key="payable" value={order.payable} unit />],
        ...(fee === null ? [] : [[own.fee, <Amount key="fee" value={fee} unit />] as const]),
        ...(refunded === '0' ? [] : [[own.refundedSum, <Amount key="refunded" value={refunded} unit />] as const]),
        ...(external === null ? [] : [[own.externalId, <Id key="external" value={external} copy />] as const]),
        ...(reference === null ? [] : [[own.reference, <Id key="reference" value={reference} copy />] as const]),
        ...(receipt === null ? [] : receiptFacts(own, receipt, format)),
        ...(card === null ? [] : [[own.card, <Id key="card" value={card} />] as const]),
        ...(problem === null ? [] : [[own.problem, <Id key="problem" value={problem} />] as const]),
        [texts.created, <Moment key="created" at={order.created_at} exact />],
        [own.begunBy, <Actor key="by" actor={order.created_by} name={null} forCustomer={false} />],
      ]}
    />
  );
}

/** What the customer says of a transfer. */
function receiptFacts(
  own: ReturnType<typeof usePaymentTexts>,
  receipt: NonNullable<Payment['receipt']>,
  format: Format,
) {
  const { number, paid_on: day, paid_from: from } = receipt;
  return [
    [own.saidNumber, <Id key="said" value={number} copy />] as const,
    [own.saidDay, format.date(`${day}T12:00:00Z`)] as const,
    ...(from === null ? [] : [[own.saidFrom, <Id key="from" value={from} copy />] as const]),
  ];
}

function Events({ order }: { order: Payment }) {
  const texts = useTexts();
  const own = usePaymentTexts();
  return (
    <Panel title={own.events}>
      <Table
        label={own.events}
        dense
        rows={order.events}
        idOf={({ at, to }) => `${at} ${to}`}
        columns={[
          {
            id: 'at',
            head: texts.time,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ at }) => <Moment at={at} exact />,
          },
          { id: 'to', head: texts.state, fold: 'c1', cell: ({ to }) => labelOf(own.orderStates, to) ?? to },
          {
            id: 'cause',
            head: own.cause,
            fold: 'c4',
            cell: ({ cause }) => <Cause cause={cause} />,
          },
        ]}
      />
    </Panel>
  );
}

/** What moved an order, and who, where a person did: `receipt:person:per_1`. */
function Cause({ cause }: { cause: string }) {
  const own = usePaymentTexts();
  const [what = '', ...who] = cause.split(':');
  const name = labelOf(own.causes, what);
  if (name === undefined) return <Actor actor={cause} name={null} forCustomer={false} />;
  return (
    <>
      {name}
      {who.length > 0 && (
        <span className="sub">
          <Actor actor={who.join(':')} name={null} forCustomer={false} />
        </span>
      )}
    </>
  );
}

function Entries({ order }: { order: Payment }) {
  const texts = useTexts();
  const own = usePaymentTexts();
  const books = useBookTexts();
  return (
    <Panel title={own.entries}>
      <Table
        label={own.entries}
        dense
        rows={order.entries}
        idOf={({ id }) => id}
        empty={<p className="pad dim">{own.noEntries}</p>}
        columns={[
          {
            id: 'at',
            head: texts.time,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ created_at: at }) => <Moment at={at} />,
          },
          {
            id: 'kind',
            head: texts.kind,
            fold: 'c1',
            cell: ({ kind }) => labelOf(texts.kinds, kind) ?? labelOf(texts.otherKinds, kind) ?? kind,
          },
          { id: 'debit', head: books.debitShort, fold: 'c4', cell: ({ debit }) => <BookName book={debit} /> },
          { id: 'credit', head: books.creditShort, cell: ({ credit }) => <BookName book={credit} /> },
          {
            id: 'amount',
            head: texts.amountColumn,
            number: true,
            fold: 'c2',
            cell: ({ amount }) => <AmountCell value={amount} />,
          },
        ]}
      />
    </Panel>
  );
}

function Invoices({ order }: { order: Payment }) {
  const texts = useTexts();
  const own = usePaymentTexts();
  if (order.invoices.length === 0) return null;
  return (
    <Panel title={own.invoices}>
      <Table
        label={own.invoices}
        dense
        rows={order.invoices}
        idOf={({ id }) => id}
        columns={[
          { id: 'number', head: own.invoiceNumber, fold: 'c1', cell: ({ number }) => <Id value={String(number)} /> },
          { id: 'kind', head: texts.kind, fold: 'c4', cell: ({ kind }) => labelOf(own.invoiceKinds, kind) ?? kind },
          {
            id: 'at',
            head: texts.time,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ issued_at: at }) => <Moment at={at} />,
          },
          {
            id: 'total',
            head: texts.amountColumn,
            number: true,
            fold: 'c2',
            cell: ({ total }) => <AmountCell value={total} />,
          },
        ]}
      />
    </Panel>
  );
}
