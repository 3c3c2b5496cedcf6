/** Orders with their states, and invoices. */
import type { checkOwnOrder, listOwnInvoices, listOwnOrders } from '@dargah/api/console/payments.ts';
import type { Result } from '../../api/call.ts';
import { useChange, usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ORDER_TONES } from '../../parts/order-tones.ts';
import { Empty } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useWords } from '../../words/wallet-words.ts';

type Order = Result<typeof listOwnOrders>['data'][number];

export function OrderActions({ order }: { order: Pick<Order, 'id' | 'redirect_url'> }) {
  const words = useWords();
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
        {words.check}
      </button>
      {order.redirect_url !== null && (
        <a className="btn small" href={order.redirect_url}>
          {words.pay}
        </a>
      )}
    </span>
  );
}

export function Orders() {
  const words = useWords();
  const list = usePages<typeof listOwnOrders>('GET /api/console/wallet/orders', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={words.tabs['orders']}>
      <Table
        label={words.tabs['orders'] ?? ''}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={<Empty title={words.noOrders} text={words.noOrdersText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          {
            id: 'time',
            head: words.time,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ created_at: at }) => <Moment at={at} />,
          },
          { id: 'id', head: words.order, className: 'narrow-id', cell: ({ id }) => <Id value={id} copy /> },
          {
            id: 'way',
            head: words.way,
            fold: 'c1',
            cell: ({ gateway }) => wordOf(words.ways, gateway) ?? <Id value={gateway} />,
          },
          {
            id: 'state',
            head: words.state,
            fold: 'c4',
            cell: ({ state }) => <Pill tone={ORDER_TONES[state] ?? 'info'}>{words.states[state] ?? state}</Pill>,
          },
          {
            id: 'amount',
            head: words.amountColumn,
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
  const words = useWords();
  const format = useFormat();
  const list = usePages<typeof listOwnInvoices>('GET /api/console/wallet/invoices', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={words.tabs['invoices']}>
      <Table
        label={words.tabs['invoices'] ?? ''}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={<Empty title={words.noInvoices} text={words.noInvoicesText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          {
            id: 'number',
            head: words.number,
            fold: 'c1',
            cell: ({ number, kind }) => (
              <>
                <Id value={number} copy /> {kind === 'credit-note' && <span className="tag">{words.creditNote}</span>}
              </>
            ),
          },
          { id: 'date', head: words.date, fold: 'c3', className: 'mid', cell: ({ issued_at: at }) => format.date(at) },
          {
            id: 'total',
            head: words.total,
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
                  {words.open}
                </a>
                <a className="btn small" href={pdf} download>
                  <Icon name="save" />
                  <span dir="ltr">{words.pdf}</span>
                </a>
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}
