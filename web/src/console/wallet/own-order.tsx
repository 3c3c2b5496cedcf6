/** One order at its own address: its state, the next step, and everything that step needs. */

import type { checkOwnOrder, getOwnOrder } from '@dargah/api/console/payments.ts';
import { Link } from 'wouter';
import { useChange, useRead } from '../../api/read.ts';
import { roughly } from '../../format.ts';
import { CopyButton, Id } from '../../parts/copyable.tsx';
import { type Fact, FactList } from '../../parts/fact-list.tsx';
import { Amount, Moment } from '../../parts/figures.tsx';
import { STEP_TONES } from '../../parts/order-tones.ts';
import { PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf, useLanguage } from '../../texts/dictionary.tsx';
import { useTexts } from '../../texts/wallet-texts.ts';
import { ORDER_STALE, type OwnOrder } from './order-parts.ts';
import { useOrderTexts } from './order-texts.ts';
import { TransferReceipt } from './transfer-receipt.tsx';

export function OrderPage({ id }: { id: string }) {
  const own = useOrderTexts();
  const read = useRead<typeof getOwnOrder>('GET /api/console/wallet/orders/:id', { params: { id } });
  const order = read.data;
  return (
    <>
      <PageHead title={own.title} lead={<Id value={id} copy />}>
        <Link className="btn" href="/console/wallet/orders">
          {own.back}
        </Link>
      </PageHead>
      {read.error !== null && order === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : order === undefined ? (
        <Skeleton shape="panels" />
      ) : (
        <div className="stack">
          <NextStep order={order} />
          {(order.step === 'transfer' || order.step === 'review') && <Transfer order={order} />}
          <div className="panel cut cut-2">
            <section className="pad stack gap-m" aria-label={own.facts}>
              <h2>{own.facts}</h2>
              <Details order={order} />
            </section>
            <History order={order} />
          </div>
        </div>
      )}
    </>
  );
}

function NextStep({ order }: { order: OwnOrder }) {
  const own = useOrderTexts();
  return (
    <section className="panel pad stack gap-m next-step" aria-label={own.names[order.step]}>
      <div className="row between">
        <div className="hero">
          <Amount value={order.payable} unit />
        </div>
        <Pill tone={STEP_TONES[order.step]}>{own.names[order.step]}</Pill>
      </div>
      <p className="text">{own.steps[order.step]}</p>
      {order.rejection !== null && (
        <p className="text">
          {own.reason}: <b dir="auto">{order.rejection}</b>
        </p>
      )}
      <NextActs order={order} />
    </section>
  );
}

/** The next step is the main button; where there is none, no button is shown. */
function NextActs({ order }: { order: OwnOrder }) {
  const own = useOrderTexts();
  const { step, redirect_url: gateway, invoice_id: invoice } = order;
  const check = useChange<typeof checkOwnOrder>('POST /api/console/wallet/orders/:id/check', { stale: ORDER_STALE });
  const isAsked = (step === 'pay' && gateway !== null) || step === 'check';
  const isOver = step === 'failed' || step === 'expired' || step === 'rejected';
  const needsHelp = step === 'differs' || step === 'rejected' || step === 'expired';
  const again = `/console/wallet?${new URLSearchParams({ amount: order.amount, way: order.gateway })}`;
  if (!isAsked && !isOver && !needsHelp && invoice === null) return null;
  return (
    <div className="row">
      {step === 'pay' && gateway !== null && (
        <a className="btn main" href={gateway}>
          {own.toGateway}
        </a>
      )}
      {isAsked && (
        <button
          type="button"
          className={step === 'check' ? 'btn main' : 'btn'}
          disabled={check.isPending}
          onClick={() => check.mutate({ params: { id: order.id } })}
        >
          {own.check}
        </button>
      )}
      {isOver && (
        <Link className="btn main" href={again}>
          {own.again}
        </Link>
      )}
      {needsHelp && (
        <Link className={step === 'differs' ? 'btn main' : 'btn'} href="/console/tickets">
          {own.support}
        </Link>
      )}
      {invoice !== null && (
        <a className="btn" href={`/invoices/${invoice}`} target="_blank" rel="noreferrer">
          {own.invoice}
        </a>
      )}
    </div>
  );
}

/** The bank account for the transfer, beside the form that reports it as sent. */
function Transfer({ order }: { order: OwnOrder }) {
  const own = useOrderTexts();
  const language = useLanguage();
  const { transfer_to: banks, instructions } = order;
  return (
    <div className="panel cut cut-2">
      <section className="pad stack gap-m transfer-to" aria-label={own.where}>
        <h2>{own.where}</h2>
        {banks.length > 1 && <p className="mid">{own.anyOf}</p>}
        {banks.length === 0 && (instructions ?? '') === '' && <p className="bad">{own.noIban}</p>}
        {banks.map(({ iban, holder, bank, name }) => (
          <FactList
            key={iban}
            facts={[
              [
                own.iban,
                <span key="iban" className="row keep">
                  <bdi className="id strong" dir="ltr">
                    {iban.replace(/(.{4})(?=.)/g, '$1 ')}
                  </bdi>
                  <CopyButton text={iban} label={own.copyIban} />
                </span>,
              ],
              ...(holder === null ? [] : [[own.holder, <bdi key="holder">{holder}</bdi>] as const]),
              [own.bank, <bdi key="bank">{bank?.[language] ?? name}</bdi>],
            ]}
          />
        ))}
        <FactList
          facts={[
            [
              own.exact,
              <span key="amount" className="row keep">
                <Amount value={order.payable} unit />
                <CopyButton text={order.payable} label={own.copyAmount} />
              </span>,
            ],
            [
              own.purpose,
              <span key="purpose" className="row keep">
                <bdi className="id" dir="ltr">
                  {order.id}
                </bdi>
                <CopyButton text={order.id} label={own.copyPurpose} />
              </span>,
            ],
          ]}
        />
        <p className="xs dim">
          {own.exactHint} {own.purposeHint}
        </p>
        {instructions !== null && instructions !== '' && <p className="mid text pre">{instructions}</p>}
      </section>
      <TransferReceipt order={order} />
    </div>
  );
}

function Details({ order }: { order: OwnOrder }) {
  const own = useOrderTexts();
  const texts = useTexts();
  const { reference, card, refunded, vat } = order;
  const isWaiting = order.step === 'pay' || order.step === 'transfer';
  const facts: Fact[] = [
    [own.way, labelOf(texts.ways, order.gateway) ?? <Id value={order.gateway} />],
    [own.gets, <Amount key="amount" value={order.amount} unit />],
    ...(roughly(vat) > 0 ? [[own.vat, <Amount key="vat" value={vat} unit />] as const] : []),
    [own.payable, <Amount key="payable" value={order.payable} unit />],
    ...(refunded === '0' ? [] : [[own.refunded, <Amount key="refunded" value={refunded} unit />] as const]),
    ...(reference === null ? [] : [[own.reference, <Id key="reference" value={reference} copy />] as const]),
    ...(card === null ? [] : [[own.card, <Id key="card" value={card} />] as const]),
    [own.created, <Moment key="created" at={order.created_at} exact />],
    ...(isWaiting ? [[own.expires, <Moment key="expires" at={order.expires_at} exact />] as const] : []),
  ];
  return <FactList facts={facts} />;
}

function History({ order }: { order: OwnOrder }) {
  const own = useOrderTexts();
  return (
    <section className="pad stack gap-m" aria-label={own.history}>
      <h2>{own.history}</h2>
      <ol className="stack gap-s order-history">
        {order.events.map(({ at, to, cause }) => (
          <li key={`${at} ${to} ${cause}`} className="row between">
            <span>{labelOf(own.events, cause.startsWith('receipt:') ? 'receipt' : to) ?? to}</span>
            <span className="mid nowrap">
              <Moment at={at} exact />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
