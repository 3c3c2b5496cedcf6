/** Orders with their states, and invoices. */
import type { checkOwnOrder, listOwnInvoices, listOwnOrders } from '@dargah/api/console/payments.ts';
import type { Result } from '../../api/call.ts';
import { useChange, usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Amount, AmountCell, Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ORDER_TONES } from '../../parts/order-tones.ts';
import { Empty } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useTexts } from '../../texts/wallet-texts.ts';

type Order = Result<typeof listOwnOrders>['data'][number];

export function OrderActions({ order }: { order: Pick<Order, 'id' | 'redirect_url'> }) {
  const texts = useTexts();
  const check = useChange<typeof checkOwnOrder>('POST /api/console/wallet/orders/:id/check', {
    stale: ['GET /api/console/wallet', 'GET /api/console/wallet/orders', 'GET /api/console/wallet/orders/:id'],
  });
  return (
    <span className="row">
      <button
        type="button"
        className="btn small"
        disabled={check.isPending}
        onClick={() => check.mutate({ params: { id: order.id } })}
      >
        {texts.check}
      </button>
      {order.redirect_url !== null && (
        <a className="btn small" href={order.redirect_url}>
          {texts.pay}
        </a>
      )}
    </span>
  );
}

export function Orders() {
  const texts = useTexts();
  const list = usePages<typeof listOwnOrders>('GET /api/console/wallet/orders', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={texts.tabs['orders']}>
      <Table
        label={texts.tabs['orders'] ?? ''}
        rows={list.rows}
        idOf={({ id }) => id}
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
            cell: ({ state, refunded }) =>
              // Some of it went back: neither whole nor gone.
              state === 'credited' && refunded !== '0' ? (
                <>
                  <Pill tone="warn">{texts.partlyRefunded}</Pill>
                  <span className="sub">
                    <Amount value={refunded} unit />
                  </span>
                </>
              ) : (
                <Pill tone={ORDER_TONES[state] ?? 'info'}>{texts.states[state] ?? state}</Pill>
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
            id: 'actions',
            head: '',
            fold: 'c4',
            className: 'own-line',
            cell: (order) => order.open && <OrderActions order={order} />,
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
            cell: ({ number, kind }) => (
              <>
                <Id value={number} copy /> {kind === 'credit-note' && <span className="tag">{texts.creditNote}</span>}
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
