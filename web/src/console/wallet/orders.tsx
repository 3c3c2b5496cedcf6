/** Orders with their states, and invoices. */
import type { listOwnInvoices, listOwnOrders } from '@dargah/api/console/payments.ts';
import { Link, useLocation } from 'wouter';
import { usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Amount, AmountCell, Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { STEP_TONES } from '../../parts/order-tones.ts';
import { Empty } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useTexts } from '../../texts/wallet-texts.ts';
import { useOrderTexts } from './order-texts.ts';

export function Orders() {
  const texts = useTexts();
  const own = useOrderTexts();
  const [, navigate] = useLocation();
  const list = usePages<typeof listOwnOrders>('GET /api/console/wallet/orders', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={texts.tabs['orders']}>
      <Table
        label={texts.tabs['orders'] ?? ''}
        rows={list.rows}
        idOf={({ id }) => id}
        onOpen={({ id }) => navigate(`/console/wallet/orders/${id}`)}
        empty={<Empty title={texts.noOrders} text={texts.noOrdersText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          {
            id: 'time',
            head: texts.time,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ created_at: at }) => <Moment at={at} />,
          },
          { id: 'id', head: texts.order, className: 'narrow-id', cell: ({ id }) => <Id value={id} copy /> },
          {
            id: 'way',
            head: texts.way,
            fold: 'c1',
            cell: ({ gateway }) => labelOf(texts.ways, gateway) ?? <Id value={gateway} />,
          },
          {
            id: 'state',
            head: texts.state,
            fold: 'c4',
            cell: ({ step, refunded }) =>
              // Partly refunded.
              step === 'credited' && refunded !== '0' ? (
                <>
                  <Pill tone="warn">{texts.partlyRefunded}</Pill>
                  <span className="sub">
                    <Amount value={refunded} unit />
                  </span>
                </>
              ) : (
                <Pill tone={STEP_TONES[step]}>{own.names[step]}</Pill>
              ),
          },
          {
            id: 'amount',
            head: texts.amountColumn,
            number: true,
            fold: 'c2',
            cell: ({ amount }) => <AmountCell value={amount} />,
          },
          {
            id: 'open',
            head: '',
            fold: 'c4',
            className: 'own-line',
            cell: ({ id, step }) => (
              <Link className="btn small" href={`/console/wallet/orders/${id}`}>
                {step === 'pay' || step === 'transfer' ? own.goOn : own.look}
              </Link>
            ),
          },
        ]}
      />
    </section>
  );
}

export function Invoices() {
  const texts = useTexts();
  const format = useFormat();
  const list = usePages<typeof listOwnInvoices>('GET /api/console/wallet/invoices', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={texts.tabs['invoices']}>
      <Table
        label={texts.tabs['invoices'] ?? ''}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={<Empty title={texts.noInvoices} text={texts.noInvoicesText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          {
            id: 'number',
            head: texts.number,
            fold: 'c1',
            cell: ({ number, kind, official, seller }) => (
              <>
                <Id value={number} copy /> {kind === 'credit-note' && <span className="tag">{texts.creditNote}</span>}
                {!official && <span className="tag">{seller.name === '' ? texts.receiptOnly : texts.specimen}</span>}
              </>
            ),
          },
          { id: 'date', head: texts.date, fold: 'c3', className: 'mid', cell: ({ issued_at: at }) => format.date(at) },
          {
            id: 'total',
            head: texts.total,
            number: true,
            fold: 'c2',
            cell: ({ total }) => <AmountCell value={total} />,
          },
          {
            id: 'open',
            head: '',
            fold: 'c4',
            cell: ({ page_url: page, pdf_url: pdf }) => (
              <span className="row">
                <a className="btn small" href={page} target="_blank" rel="noreferrer">
                  <Icon name="print" />
                  {texts.open}
                </a>
                <a className="btn small" href={pdf} download>
                  <Icon name="save" />
                  <span dir="ltr">{texts.pdf}</span>
                </a>
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}
