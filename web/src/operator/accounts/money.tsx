/** Money of one account: its orders, credit by hand, its transactions and its invoices. */
import type { listTransfers } from '@dargah/api/admin/credit.ts';
import type { listInvoices } from '@dargah/api/admin/invoicing.ts';
import type { listPayments, refundPayment } from '@dargah/api/admin/payments.ts';
import type { getTrialBalance } from '@dargah/api/admin/service.ts';
import type { listPaymentGateways } from '@dargah/api/admin/ways-to-pay.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ORDER_TONES } from '../../parts/order-tones.ts';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { transferColumns } from '../../parts/transfer-columns.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { useLedgerTexts } from '../ledger/texts.ts';
import { useStaffMay } from '../may.ts';
import { actsOn, type Order, type OrderAct, OrderDialog } from '../payments/acts.tsx';
import { usePaymentTexts } from '../payments/texts.ts';
import { useTexts } from '../texts.ts';
import { Credit } from './credit.tsx';
import { useDeskTexts } from './desk-texts.ts';

export function AccountMoney({ id }: { id: string }) {
  return (
    <div className="stack">
      <AccountOrders id={id} />
      <section className="panel">
        <Credit id={id} />
      </section>
      <Transfers id={id} />
    </div>
  );
}

function AccountOrders({ id }: { id: string }) {
  const texts = useDeskTexts();
  const common = useTexts();
  const own = usePaymentTexts();
  const shared = useShared();
  const { language } = useFormat();
  const [asking, setAsking] = useState<{ act: OrderAct; order: Order }>();
  const mayAct = useStaffMay<typeof refundPayment>(['owner', 'finance']);
  const gateways = useRead<typeof listPaymentGateways>('GET /api/admin/payment-gateways', {}).data?.data ?? [];
  const list = usePages<typeof listPayments>('GET /api/admin/payments', { query: { account_id: id, limit: 20 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Panel title={common.nav.payments}>
      <Table
        label={common.nav.payments}
        rows={list.rows}
        idOf={(order) => order.id}
        skeleton={2}
        empty={<Empty title={texts.noOrders} text={texts.noOrdersText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          {
            id: 'at',
            head: common.time,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ created_at: at }) => <Moment at={at} />,
          },
          {
            id: 'gateway',
            head: texts.gateway,
            fold: 'c1',
            className: 'narrow-id',
            cell: ({ gateway, id: order }) => (
              <>
                {gateways.find((one) => one.id === gateway)?.name[language] ?? <Id value={gateway} />}
                <div className="xs dim">
                  <Link href={`/operator/orders/${order}`}>
                    <Id value={`…${order.slice(-8)}`} />
                  </Link>
                </div>
              </>
            ),
          },
          {
            id: 'state',
            head: common.state,
            fold: 'c4',
            cell: ({ state, refunded }) =>
              refunded !== '0' && state === 'credited' ? (
                <Pill tone="warn">{own.partlyRefunded}</Pill>
              ) : (
                <Pill tone={ORDER_TONES[state] ?? 'info'}>{own.orderStates[state] ?? state}</Pill>
              ),
          },
          {
            id: 'amount',
            head: common.amountColumn,
            number: true,
            fold: 'c2',
            cell: ({ payable }) => <AmountCell value={payable} />,
          },
          {
            id: 'actions',
            head: <span className="vh">{shared.actions}</span>,
            fold: 'c2',
            cell: (order) =>
              mayAct &&
              actsOn(order).length > 0 && (
                <Menu
                  label={`${shared.actions}: ${order.id}`}
                  items={actsOn(order).map((act) => ({
                    name: own[act],
                    danger: act === 'refund',
                    run: () => setAsking({ act, order }),
                  }))}
                />
              ),
          },
        ]}
      />
      {asking !== undefined && <OrderDialog {...asking} onClose={() => setAsking(undefined)} />}
    </Panel>
  );
}

function Transfers({ id }: { id: string }) {
  const texts = useTexts();
  const { noTransfers } = useLedgerTexts();
  const seesBooks = useStaffMay<typeof getTrialBalance>(['owner', 'finance']);
  const list = usePages<typeof listTransfers>('GET /api/admin/accounts/:id/transfers', {
    params: { id },
    query: { limit: 50 },
  });
  return (
    <Panel
      title={texts.transfers}
      aside={
        seesBooks && (
          <Link className="btn small" href={`/operator/ledger/transfers?account=${encodeURIComponent(id)}`}>
            <Icon name="scale" />
            {texts.nav.ledger}
          </Link>
        )
      }
    >
      <Table
        label={texts.transfers}
        dense
        rows={list.rows}
        idOf={(row) => row.id}
        empty={<Empty title={noTransfers} text="" />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={transferColumns({
          heads: { time: texts.time, kind: texts.kind, note: texts.reason, amount: texts.amountColumn },
          kindName: (kind) => labelOf(texts.kinds, kind) ?? labelOf(texts.otherKinds, kind),
          requestsAt: '/operator/requests',
        })}
      />
    </Panel>
  );
}

export function AccountInvoices({ id }: { id: string }) {
  const texts = useDeskTexts();
  const format = useFormat();
  const list = usePages<typeof listInvoices>('GET /api/admin/invoices', { query: { account_id: id, limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Panel title={texts.tabs.invoices}>
      <Table
        label={texts.tabs.invoices}
        rows={list.rows}
        idOf={(invoice) => invoice.id}
        skeleton={2}
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
          { id: 'buyer', head: texts.buyer, cell: ({ buyer }) => <bdi>{buyer.name}</bdi> },
          { id: 'vat', head: texts.vat, number: true, cell: ({ vat }) => <AmountCell value={vat} /> },
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
                  {texts.openPaper}
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
    </Panel>
  );
}
