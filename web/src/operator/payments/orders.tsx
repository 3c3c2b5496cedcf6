/** Orders of all accounts, with every filter; each has a page of its own. */

import type { listPayments, verifyPayment } from '@dargah/api/admin/payments.ts';
import type { listPaymentGateways } from '@dargah/api/admin/ways-to-pay.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Filter, FilterNumber, FilterText } from '../../parts/filter.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { AccountLink, NamesContext } from '../account-link.tsx';
import { GatewayName } from '../gateway-name.tsx';
import { AccountFilter } from '../lists/account-filter.tsx';
import { ListBar } from '../lists/list-bar.tsx';
import { ListFoot, namesIn } from '../lists/list-foot.tsx';
import { useListPeriod } from '../lists/period.ts';
import { PERIOD_NAMES, PeriodFilter } from '../lists/period-filter.tsx';
import { present } from '../lists/present.ts';
import { useListTexts } from '../lists/texts.ts';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { actsOn, type Order, type OrderAct, OrderDialog, STALE } from './acts.tsx';
import { OrderState } from './order-state.tsx';
import { usePaymentTexts } from './texts.ts';

const FILTERS = [
  ...PERIOD_NAMES,
  'q',
  'state',
  'gateway',
  'account',
  'sum_from',
  'sum_to',
  'stuck',
  'receipt_waits',
  'not_settled',
  'refunded',
  'sort',
];

function useOrderQuery() {
  const { get } = useAddress();
  // Waiting orders are shown however old they are.
  const isStuck = get('stuck') !== undefined;
  const receiptWaits = get('receipt_waits') !== undefined;
  const usual = isStuck || receiptWaits || get('q') !== undefined ? ('all' as const) : ('31d' as const);
  const period = useListPeriod(usual);
  const filters = {
    q: get('q'),
    state: get('state') as Order['state'] | undefined,
    gateway: get('gateway'),
    account_id: get('account'),
    sum_from: get('sum_from'),
    sum_to: get('sum_to'),
    stuck: isStuck ? true : undefined,
    receipt_waits: receiptWaits ? true : undefined,
    not_settled: get('not_settled') === undefined ? undefined : true,
    refunded: get('refunded') === undefined ? undefined : true,
    sort: get('sort') as 'sum' | undefined,
  };
  return { usual, query: { limit: 50, ...period, ...present(filters) } };
}

export function OrderList() {
  const texts = useTexts();
  const own = usePaymentTexts();
  const shared = useShared();
  const address = useAddress();
  const [asking, setAsking] = useState<{ act: OrderAct; order: Order }>();
  const lists = useListTexts();
  const { usual, query } = useOrderQuery();
  const [, navigate] = useLocation();
  const list = usePages<typeof listPayments>('GET /api/admin/payments', { query });
  const { language } = useFormat();
  const gateways = useRead<typeof listPaymentGateways>('GET /api/admin/payment-gateways', {}).data?.data ?? [];
  const mayAct = useStaffMay<typeof verifyPayment>(['owner', 'finance']);
  const verify = useChange<typeof verifyPayment>('POST /api/admin/payments/:id/verify', { stale: STALE });
  const listNames = namesIn(list.pages);
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <div>
      <ListBar list="orders" names={FILTERS} query={query}>
        <FilterText name="q" label={own.orderSearch} />
        <PeriodFilter usual={usual} />
        <Filter name="state" label={texts.state} options={Object.entries(own.orderStates)} />
        <Filter
          name="gateway"
          label={own.gateway}
          options={gateways.map((one) => [one.id, one.name[language]] as const)}
        />
        <AccountFilter known={listNames[address.get('account') ?? '']} />
        <FilterNumber name="sum_from" label={own.sumFrom} unit={shared.toman} />
        <FilterNumber name="sum_to" label={own.sumTo} unit={shared.toman} />
        <Filter name="stuck" label={texts.stuck} options={[['true', own.yes]]} />
        <Filter name="receipt_waits" label={own.receiptWaits} options={[['true', own.yes]]} />
        <Filter name="not_settled" label={own.notSettled} options={[['true', own.yes]]} />
        <Filter name="refunded" label={own.refundedOnly} options={[['true', own.yes]]} />
        <Filter name="sort" label={lists.sort} options={[['sum', own.bySum]]} unset={own.newest} />
      </ListBar>
      <NamesContext value={listNames}>
        <section className="panel" aria-label={texts.nav.payments}>
          <Table
            label={texts.nav.payments}
            rows={list.rows}
            idOf={({ id }) => id}
            onOpen={({ id }) => navigate(`/operator/orders/${id}`)}
            empty={<Empty title={own.noPayments} text={own.noPaymentsText} />}
            foot={<ListFoot list={list} />}
            columns={[
              {
                id: 'at',
                head: texts.time,
                fold: 'c3',
                className: 'mid nowrap',
                cell: ({ created_at: at, gateway }) => (
                  <>
                    <Moment at={at} />
                    <span className="only-s">
                      &nbsp;·&nbsp;
                      <GatewayName id={gateway} />
                    </span>
                  </>
                ),
              },
              { id: 'id', head: texts.id, cell: ({ id }) => <Id value={id} copy /> },
              {
                id: 'account',
                head: texts.account,
                fold: 'c1',
                cell: ({ account_id: id }) => <AccountLink id={id} />,
              },
              {
                id: 'gateway',
                head: own.gateway,
                cell: ({ gateway }) => <GatewayName id={gateway} />,
              },
              {
                id: 'state',
                head: texts.state,
                fold: 'c4',
                cell: (order) => <OrderState order={order} />,
              },
              {
                id: 'amount',
                head: texts.amountColumn,
                number: true,
                fold: 'c2',
                cell: ({ payable }) => <AmountCell value={payable} />,
              },
              {
                id: 'actions',
                head: <span className="vh">{shared.actions}</span>,
                fold: 'c2',
                cell: (order) => {
                  const isOver = order.state === 'credited' || order.state === 'refunded';
                  const items = [
                    ...(isOver ? [] : [{ name: own.verify, run: () => verify.mutate({ params: { id: order.id } }) }]),
                    ...actsOn(order).map((act) => ({
                      name: own[act],
                      danger: act === 'refund',
                      run: () => setAsking({ act, order }),
                    })),
                  ];
                  return mayAct && items.length > 0 && <Menu label={`${shared.actions}: ${order.id}`} items={items} />;
                },
              },
            ]}
          />
        </section>
      </NamesContext>
      {asking !== undefined && <OrderDialog {...asking} onClose={() => setAsking(undefined)} />}
    </div>
  );
}
