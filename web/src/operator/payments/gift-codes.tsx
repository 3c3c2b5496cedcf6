/** Gift codes: made here, shown once, listed by their last letters, and revoked while nobody has used them. */

import type { listGiftCodes, makeGiftCodes, revokeGiftCode } from '@dargah/api/admin/ways-to-pay.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, usePages } from '../../api/read.ts';
import { addDays, type Day, dayAt, startOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { Code, Id } from '../../parts/copyable.tsx';
import { DateField } from '../../parts/date-field.tsx';
import { AskingButton } from '../../parts/dialog.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Form, NumberField, TextField } from '../../parts/form.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { usePreferences } from '../../preferences.tsx';
import { useShared } from '../../texts/shared.ts';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { usePaymentTexts } from './texts.ts';

type GiftCode = Result<typeof listGiftCodes>['data'][number];
const STALE = ['GET /api/admin/gift-codes'];
const TONES: Record<GiftCode['state'], Tone> = { usable: 'ok', redeemed: 'info', revoked: 'off', expired: 'off' };
const AT_ONCE = 20;

export function GiftCodes() {
  const own = usePaymentTexts();
  const mayMake = useStaffMay<typeof makeGiftCodes>(['owner', 'finance']);
  return (
    <Panel title={own.giftCodes}>
      {mayMake ? <MakeCodes /> : <WhoMay<typeof makeGiftCodes> roles={['owner', 'finance']} />}
      <MadeCodes />
    </Panel>
  );
}

function MakeCodes() {
  const texts = useTexts();
  const own = usePaymentTexts();
  const shared = useShared();
  const [count, setCount] = useState<string | null>('5');
  const [amount, setAmount] = useState<string | null>('50000');
  const [note, setNote] = useState('');
  const [lastDay, setLastDay] = useState<Day | null>(null);
  const { timeZone } = usePreferences();
  const make = useChange<typeof makeGiftCodes>('POST /api/admin/gift-codes', { stale: STALE });
  const send = () => {
    if (count === null || amount === null) return;
    make.mutate({
      body: {
        count: Math.round(Number(count)),
        amount,
        ...(note.trim() === '' ? {} : { note: note.trim() }),
        ...(lastDay === null ? {} : { expires_at: endOf(lastDay, timeZone) }),
      },
    });
  };
  return (
    <Form className="pad stack gap-m narrow-form" label={own.giftCodes} onSubmit={send}>
      <div className="columns">
        <NumberField label={texts.count} value={count} onChange={setCount} />
        <NumberField label={texts.amount} unit={shared.toman} value={amount} onChange={setAmount} />
        <TextField label={own.giftNote} hint={own.giftNoteHint} value={note} onChange={setNote} maxLength={200} />
        <DateField
          label={own.giftExpiry}
          empty={own.noExpiry}
          earliest={dayAt(Date.now(), timeZone)}
          value={lastDay}
          onChange={setLastDay}
        />
      </div>
      <div className="row">
        <button type="submit" className="btn" disabled={make.isPending}>
          {own.make}
        </button>
      </div>
      {make.data !== undefined && (
        <>
          <p>{own.codesOnce}</p>
          <Code text={make.data.codes.join('\n')} />
        </>
      )}
    </Form>
  );
}

/** The last moment of a day: a code is good on the day that is said. */
function endOf(day: Day, timeZone: string): string {
  return new Date(startOf(addDays(day, 1), timeZone).getTime() - 1_000).toISOString();
}

function MadeCodes() {
  const texts = useTexts();
  const own = usePaymentTexts();
  const shared = useShared();
  const format = useFormat();
  const list = usePages<typeof listGiftCodes>('GET /api/admin/gift-codes', { query: { limit: AT_ONCE } });
  const mayRevoke = useStaffMay<typeof revokeGiftCode>(['owner', 'finance']);
  const revoke = useChange<typeof revokeGiftCode>('DELETE /api/admin/gift-codes/:id', { stale: STALE });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Table
      label={own.giftCodes}
      rows={list.rows}
      idOf={({ id }) => id}
      empty={<Empty title={own.noGiftCodes} text={own.noGiftCodesText} />}
      foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
      columns={[
        { id: 'code', head: own.giftCode, fold: 'c1', cell: ({ last4 }) => <Id value={`…${last4}`} /> },
        {
          id: 'state',
          head: texts.state,
          fold: 'c4',
          cell: ({ state }) => <Pill tone={TONES[state]}>{own.giftStates[state]}</Pill>,
        },
        {
          id: 'amount',
          head: texts.amountColumn,
          number: true,
          fold: 'c2',
          cell: ({ amount }) => <AmountCell value={amount} />,
        },
        { id: 'note', head: own.giftNote, className: 'mid', cell: ({ note }) => note !== null && <bdi>{note}</bdi> },
        {
          id: 'expires',
          head: own.giftExpiry,
          className: 'mid',
          cell: ({ expires_at: at }) => (at === null ? own.noExpiry : format.date(at)),
        },
        { id: 'created', head: texts.created, className: 'mid', cell: ({ created_at: at }) => <Moment at={at} /> },
        {
          id: 'actions',
          head: <span className="vh">{shared.actions}</span>,
          fold: 'c3',
          cell: ({ id, state, last4, amount }) =>
            mayRevoke &&
            state === 'usable' && (
              <AskingButton
                title={own.revokeTitle(last4)}
                text={own.revokeText(format.money(amount))}
                onConfirm={() => revoke.mutate({ params: { id } })}
              >
                {own.revoke}
              </AskingButton>
            ),
        },
      ]}
    />
  );
}
