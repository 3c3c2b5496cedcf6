/** Orders of all accounts, gateways with their secrets, the seller and the tax, gift codes. */
import { useState } from 'react';
import type { listPayments, verifyPayment } from '../../../../server/src/http/admin/routes/payments.ts';
import type {
  changePaymentGateway,
  listPaymentGateways,
} from '../../../../server/src/http/admin/routes/ways-to-pay.ts';
import { useAddress } from '../../address.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import { ORDER_TONES } from '../../console/wallet/orders.tsx';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Filter } from '../../parts/filter.tsx';
import { AreaField, Form, SecretField, Toggle } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { actsOn, type Order, type OrderAct, OrderDialog, STALE } from './acts.tsx';
import { GiftCodes } from './gift-codes.tsx';
import { InvoiceSettings } from './invoice-settings.tsx';
import { usePaymentTexts } from './texts.ts';

const REFUND_TONES = { sending: 'held', sent: 'warn', refused: 'bad', unknown: 'bad' } as const;

export default function PaymentsPage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.nav.payments} />
      <div className="stack">
        <Orders />
        <Gateways />
        <InvoiceSettings />
        <GiftCodes />
      </div>
    </>
  );
}

function Orders() {
  const texts = useTexts();
  const own = usePaymentTexts();
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
        <Filter name="state" label={texts.state} options={Object.entries(own.orderStates)} />
        <Filter name="stuck" label={texts.stuck} options={[['true', own.yes]]} />
      </div>
      <section className="panel" aria-label={texts.nav.payments}>
        <Table
          label={texts.nav.payments}
          rows={list.rows}
          idOf={({ id }) => id}
          empty={<Empty title={own.noPayments} text={own.noPaymentsText} />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={[
            {
              id: 'at',
              head: texts.time,
              fold: 'c3',
              className: 'mid nowrap',
              cell: ({ created_at: at, gateway }) => (
                <>
                  <Moment at={at} />
                  <span className="only-s">&nbsp;·&nbsp;{gatewayName(gateway)}</span>
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
              cell: ({ gateway }) => gatewayName(gateway),
            },
            {
              id: 'state',
              head: texts.state,
              fold: 'c4',
              cell: ({ state: of, problem, refund }) => (
                <span title={refund?.code ?? problem ?? undefined}>
                  {refund === null ? (
                    <Pill tone={ORDER_TONES[of] ?? 'info'}>{own.orderStates[of] ?? of}</Pill>
                  ) : (
                    <Pill tone={REFUND_TONES[refund.state]}>{own.refundStates[refund.state]}</Pill>
                  )}
                </span>
              ),
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
      {asking !== undefined && <OrderDialog {...asking} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

function Gateways() {
  const texts = useTexts();
  const own = usePaymentTexts();
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
                      label={labelOf(own.secretNames, secret.name) ?? <Id value={secret.name} />}
                      placeholder={secret.set ? '••••••••' : ''}
                      hint={texts.secretHint}
                      value={secrets[gateway.id + secret.name] ?? ''}
                      onChange={(next) => setSecrets((before) => ({ ...before, [gateway.id + secret.name]: next }))}
                    />
                  </div>
                  <button
                    type="submit"
                    className="btn small"
                    disabled={(secrets[gateway.id + secret.name] ?? '') === ''}
                  >
                    {texts.save}
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
  const texts = useTexts();
  const own = usePaymentTexts();
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
        {texts.save}
      </button>
    </Form>
  );
}
