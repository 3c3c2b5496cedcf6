/** Putting money in: amount, way, what is paid with tax before anything is paid; and gift codes. */

import type { beginTopUp, listOwnGateways, quoteTopUp, redeemGiftCode } from '@dargah/api/console/payments.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Amount } from '../../parts/figures.tsx';
import { Form, NumberField, TextField } from '../../parts/form.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { Bar } from '../../parts/skeleton.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTexts } from '../../texts/wallet-texts.ts';
import { TopUpReminder } from './reminder.tsx';

export function TopUp() {
  const texts = useTexts();
  const shared = useShared();
  const format = useFormat();
  const address = useAddress();
  const [, navigate] = useLocation();
  // A reminder, or a failed order, fills in the amount.
  const given = /^\d{1,12}$/.exec(address.get('amount') ?? '')?.[0];
  const ways = useRead<typeof listOwnGateways>('GET /api/console/wallet/gateways', {});
  const [amount, setAmount] = useState<string | null>(given ?? '500000');
  const [chosen, setChosen] = useState(address.get('way'));
  const all = ways.data?.data ?? [];
  const way = all.find(({ id }) => id === chosen) ?? all[0];
  const valid =
    way !== undefined &&
    amount !== null &&
    roughly(amount) >= roughly(way.minimum) &&
    roughly(amount) <= roughly(way.maximum);
  const quote = useRead<typeof quoteTopUp>(
    'GET /api/console/wallet/quote',
    { query: { gateway: way?.id ?? '', amount: amount ?? '0' } },
    { enabled: valid, keep: true },
  ).data;
  const begin = useChange<typeof beginTopUp>('POST /api/console/wallet/orders', {
    stale: ['GET /api/console/wallet/orders'],
    done(order) {
      if (order.redirect_url !== null) location.assign(order.redirect_url);
      else navigate(`/console/wallet/orders/${order.id}`);
    },
  });
  if (ways.error !== null && ways.data === undefined)
    return <Trouble error={ways.error} again={() => void ways.refetch()} />;
  return (
    <section className="panel" aria-label={texts.topUp}>
      <div className="cut cut-2">
        <div className="pad stack gap-m">
          <h2>{texts.topUp}</h2>
          {ways.data !== undefined && all.length === 0 ? (
            <Empty title={texts.noWays} text="" />
          ) : (
            <Form
              onSubmit={() => {
                if (way !== undefined && amount !== null) begin.mutate({ body: { gateway: way.id, amount } });
              }}
            >
              <NumberField
                label={texts.amount}
                unit={shared.toman}
                value={amount}
                onChange={setAmount}
                hint={
                  way === undefined ? undefined : texts.amountHint(format.money(way.minimum), format.money(way.maximum))
                }
                error={errorAt(begin.error, 'amount')}
              />
              <div className="row">
                {texts.presets.map((preset) => (
                  <button
                    key={preset}
                    type="button"
                    className={preset === amount ? 'chip on' : 'chip'}
                    onClick={() => setAmount(preset)}
                  >
                    {format.money(preset)}
                  </button>
                ))}
              </div>
              <fieldset className="stack gap-s">
                <legend className="label">{texts.way}</legend>
                {ways.data === undefined && (
                  <span className="row keep way" aria-busy="true">
                    <Bar width={2} />
                  </span>
                )}
                {all.map((option) => (
                  <label key={option.id} className="row keep way">
                    <input
                      type="radio"
                      name="way"
                      checked={option.id === way?.id}
                      onChange={() => setChosen(option.id)}
                    />
                    <span>{option.name[format.language]}</span>
                    {option.sandbox && <span className="tag">{texts.sandbox}</span>}
                  </label>
                ))}
              </fieldset>
              <dl className="facts">
                <dt>{texts.gets}</dt>
                <dd>{amount !== null && <Amount value={amount} unit />}</dd>
                {quote !== undefined && roughly(quote.vat) > 0 && (
                  <>
                    <dt>{texts.vat(format.number(ways.data?.vat_percent ?? '0'))}</dt>
                    <dd>
                      <Amount value={quote.vat} unit />
                    </dd>
                  </>
                )}
                <dt>{texts.payable}</dt>
                <dd className="strong">{quote === undefined ? '—' : <Amount value={quote.payable} unit />}</dd>
              </dl>
              <button type="submit" className="btn main" disabled={!valid || begin.isPending}>
                {way?.flow === 'transfer' ? texts.goTransfer : texts.go}
              </button>
              <p className="xs dim">{way?.flow === 'transfer' ? texts.afterTransfer : texts.afterwards}</p>
            </Form>
          )}
        </div>
        <div className="pad stack">
          <GiftCode />
          <TopUpReminder />
        </div>
      </div>
    </section>
  );
}

function GiftCode() {
  const texts = useTexts();
  const format = useFormat();
  const toast = useToast();
  const [code, setCode] = useState('');
  const redeem = useChange<typeof redeemGiftCode>('POST /api/console/wallet/gift-codes', {
    quiet: true,
    stale: ['GET /api/console/wallet', 'GET /api/console/wallet/movements', 'GET /api/console/wallet/orders'],
    done(order) {
      setCode('');
      toast({ text: texts.redeemed(format.money(order.amount)) });
    },
  });
  return (
    <Form onSubmit={() => redeem.mutate({ body: { code: code.trim() } })} label={texts.gift}>
      <h2>{texts.gift}</h2>
      <TextField
        label={texts.giftCode}
        hint={texts.giftHint}
        error={redeem.error?.message}
        value={code}
        onChange={setCode}
        dir="ltr"
        autoComplete="off"
      />
      <button type="submit" className="btn" disabled={code.trim().length < 8 || redeem.isPending}>
        {texts.redeem}
      </button>
    </Form>
  );
}
