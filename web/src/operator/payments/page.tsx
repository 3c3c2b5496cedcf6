/** Orders of all accounts, gateways with their secrets, the seller and the tax, gift codes. */

import type { listPayments, verifyPayment } from '@dargah/api/admin/payments.ts';
import type { changePaymentGateway, listPaymentGateways } from '@dargah/api/admin/ways-to-pay.ts';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Filter } from '../../parts/filter.tsx';
import { AreaField, Form, SecretField, Toggle } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ORDER_TONES } from '../../parts/order-tones.ts';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useShared } from '../../words/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useWords } from '../words.ts';
import { actsOn, type Order, type OrderAct, OrderDialog, STALE } from './acts.tsx';
import { BankAccounts } from './bank-accounts.tsx';
import { GiftCodes } from './gift-codes.tsx';
import { InvoiceSettings } from './invoice-settings.tsx';
import { usePaymentWords } from './words.ts';

const REFUND_TONES = { sending: 'held', sent: 'warn', refused: 'bad', unknown: 'bad' } as const;

export default function PaymentsPage() {
  const words = useWords();
  return (
    <>
      <PageHead title={words.nav.payments} />
      <div className="stack">
        <Orders />
        <Gateways />
        <InvoiceSettings />
        <BankAccounts />
        <GiftCodes />
      </div>
    </>
  );
}

function Orders() {
  const words = useWords();
  const own = usePaymentWords();
  const shared = useShared();
  const address = useAddress();
  const [asking, setAsking] = useState<{ act: OrderAct; order: Order }>();
  const state = address.get('state');
  const query = {
    limit: 50,
    ...(state === undefined ? {} : { state: state as Order['state'] }),
    ...(address.get('stuck') === undefined ? {} : { stuck: true }),
  };
  const list = usePages<typeof listPayments>('GET /api/admin/payments', { query });
  const { language } = useFormat();
  const gateways = useRead<typeof listPaymentGateways>('GET /api/admin/payment-gateways', {}).data?.data ?? [];
  const gatewayName = (id: string) => gateways.find((one) => one.id === id)?.name[language] ?? <Id value={id} />;
  const mayAct = useStaffMay<typeof verifyPayment>(['owner', 'finance']);
  const verify = useChange<typeof verifyPayment>('POST /api/admin/payments/:id/verify', { stale: STALE });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <div>
      <div className="filters">
        <Filter name="state" label={words.state} options={Object.entries(own.orderStates)} />
        <Filter name="stuck" label={words.stuck} options={[['true', own.yes]]} />
      </div>
      <section className="panel" aria-label={words.nav.payments}>
        <Table
          label={words.nav.payments}
          rows={list.rows}
          idOf={({ id }) => id}
          empty={<Empty title={own.noPayments} text={own.noPaymentsText} />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={[
            {
              id: 'at',
              head: words.time,
              fold: 'c3',
              className: 'mid nowrap',
              cell: ({ created_at: at, gateway }) => (
                <>
                  <Moment at={at} />
                  <span className="only-s">&nbsp;·&nbsp;{gatewayName(gateway)}</span>
                </>
              ),
            },
            { id: 'id', head: words.id, cell: ({ id }) => <Id value={id} copy /> },
            {
              id: 'account',
              head: words.account,
              fold: 'c1',
              cell: ({ account_id: id }) => <AccountLink id={id} />,
            },
            {
              id: 'gateway',
              head: own.gateway,
              cell: ({ gateway }) => gatewayName(gateway),
            },
            {
              id: 'state',
              head: words.state,
              fold: 'c4',
              cell: ({ state: of, problem, refund, refunded, part_waits: partWaits }) => (
                <span title={refund?.code ?? problem ?? undefined}>
                  {partWaits ? (
                    <Pill tone="bad">{own.refundStates.unknown}</Pill>
                  ) : refund === null && refunded !== '0' ? (
                    <Pill tone="warn">{own.partlyRefunded}</Pill>
                  ) : refund === null ? (
                    <Pill tone={ORDER_TONES[of] ?? 'info'}>{own.orderStates[of] ?? of}</Pill>
                  ) : (
                    <Pill tone={REFUND_TONES[refund.state]}>{own.refundStates[refund.state]}</Pill>
                  )}
                </span>
              ),
            },
            {
              id: 'amount',
              head: words.amountColumn,
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
      {asking !== undefined && <OrderDialog {...asking} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

function Gateways() {
  const words = useWords();
  const own = usePaymentWords();
  const { language } = useFormat();
  const [secrets, setSecrets] = useState<Record<string, string>>({});
  const read = useRead<typeof listPaymentGateways>('GET /api/admin/payment-gateways', {});
  const change = useChange<typeof changePaymentGateway>('PATCH /api/admin/payment-gateways/:id', {
    stale: ['GET /api/admin/payment-gateways'],
    done: () => setSecrets({}),
  });
  const mayChange = useStaffMay<typeof changePaymentGateway>(['owner', 'finance']);
  if (read.error !== null && read.data === undefined) return null;
  return (
    <Panel title={own.gateways}>
      <ChangedBy<typeof changePaymentGateway> roles={['owner', 'finance']}>
        {read.data?.data.map((gateway) => (
          <article key={gateway.id} className="talk-line stack s">
            <div className="row between">
              <Toggle
                checked={gateway.enabled}
                onChange={(enabled) => change.mutate({ params: { id: gateway.id }, body: { enabled } })}
              >
                <strong>{gateway.name[language]}</strong>
              </Toggle>
              {gateway.enabled && !gateway.available && <Pill tone="warn">{own.notReady}</Pill>}
            </div>
            {mayChange &&
              gateway.secrets.map((secret) => (
                <Form
                  key={secret.name}
                  className="row starts narrow-form"
                  label={secret.name}
                  onSubmit={() =>
                    change.mutate({
                      params: { id: gateway.id },
                      body: { secrets: { [secret.name]: secrets[gateway.id + secret.name] ?? '' } },
                    })
                  }
                >
                  <div className="grow">
                    <SecretField
                      label={wordOf(own.secretNames, secret.name) ?? <Id value={secret.name} />}
                      placeholder={secret.set ? '••••••••' : ''}
                      hint={words.secretHint}
                      value={secrets[gateway.id + secret.name] ?? ''}
                      onChange={(next) => setSecrets((before) => ({ ...before, [gateway.id + secret.name]: next }))}
                    />
                  </div>
                  <button
                    type="submit"
                    className="btn small"
                    disabled={(secrets[gateway.id + secret.name] ?? '') === ''}
                  >
                    {words.save}
                  </button>
                </Form>
              ))}
            {gateway.id === 'bank-transfer' && (
              <Instructions
                text={gateway.options['instructions'] ?? ''}
                onSave={(text) =>
                  change.mutate({
                    params: { id: gateway.id },
                    body: { options: { instructions: text === '' ? null : text } },
                  })
                }
              />
            )}
            {gateway.callback_url !== null && <Id value={gateway.callback_url} copy />}
          </article>
        ))}
      </ChangedBy>
    </Panel>
  );
}

function Instructions({ text, onSave }: { text: string; onSave(text: string): void }) {
  const words = useWords();
  const own = usePaymentWords();
  const [written, setWritten] = useState(text);
  return (
    <Form className="row starts narrow-form" label={own.instructions} onSubmit={() => onSave(written.trim())}>
      <div className="grow">
        <AreaField
          label={own.instructions}
          hint={own.instructionsHint}
          name="instructions"
          dir="auto"
          maxLength={2000}
          value={written}
          onChange={setWritten}
        />
      </div>
      <button type="submit" className="btn small" disabled={written.trim() === text}>
        {words.save}
      </button>
    </Form>
  );
}
