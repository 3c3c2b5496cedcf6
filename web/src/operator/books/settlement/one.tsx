/** One settlement: what they say, what of ours it is, and what booking it writes. */

import type {
  bookSettlement,
  discardSettlement,
  getSettlement,
  rematchSettlement,
} from '@dargah/api/admin/settlements.ts';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Result } from '../../../api/call.ts';
import { useChange, useRead } from '../../../api/read.ts';
import { Id } from '../../../parts/copyable.tsx';
import { AskingButton, Dialog, DialogActs } from '../../../parts/dialog.tsx';
import { Amount, Moment } from '../../../parts/figures.tsx';
import { NumberField, SelectField } from '../../../parts/form.tsx';
import { Note, PageHead, Panel } from '../../../parts/page-frame.tsx';
import { Pill } from '../../../parts/pill.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { Trouble } from '../../../parts/trouble.tsx';
import { useShared } from '../../../texts/shared.ts';
import { GatewayName } from '../../gateway-name.tsx';
import { useStaffMay } from '../../may.ts';
import { BooksTabs } from '../books-tabs.tsx';
import { SettlementLines } from './lines.tsx';
import { useBanks } from './opening.tsx';
import { STALE } from './stale.ts';
import { useSettlementTexts } from './texts.ts';
import { SETTLEMENT_TONES } from './units.tsx';

type Settlement = Result<typeof getSettlement>;

export default function SettlementOne({ params }: { params: { id: string } }) {
  const texts = useSettlementTexts();
  const read = useRead<typeof getSettlement>('GET /api/admin/settlements/:id', { params });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <span className="skel block" />;
  const settlement = read.data;
  return (
    <>
      <PageHead
        title={
          <>
            {texts.kinds[settlement.kind]} ·{' '}
            {settlement.kind === 'gateway' ? <GatewayName id={settlement.source} /> : <bdi>{settlement.source}</bdi>}
          </>
        }
        lead={<Moment at={settlement.paid_at} exact />}
      />
      <BooksTabs page="settlement" />
      <div className="stack">
        <Facts settlement={settlement} />
        {settlement.kind !== 'opening' && <SettlementLines settlement={settlement} />}
      </div>
    </>
  );
}

function Facts({ settlement }: { settlement: Settlement }) {
  const texts = useSettlementTexts();
  const { sums } = settlement;
  const isForeign = settlement.unit !== 'IRR' && settlement.unit !== 'IRT';
  const how = isForeign
    ? texts.differenceFx
    : sums?.difference.startsWith('-')
      ? texts.differenceMore
      : texts.differenceFee;
  return (
    <Panel title={<Pill tone={SETTLEMENT_TONES[settlement.state]}>{texts.states[settlement.state]}</Pill>}>
      <div className="pad stack gap-m">
        <dl className="facts">
          {settlement.kind === 'gateway' && (
            <>
              <dt>{texts.externalId}</dt>
              <dd>
                <Id value={settlement.external_id} />
              </dd>
            </>
          )}
          {settlement.reference !== null && (
            <>
              <dt>{texts.bankReference}</dt>
              <dd>
                <bdi>{settlement.reference}</bdi>
              </dd>
            </>
          )}
          {sums !== null &&
            settlement.kind !== 'opening' &&
            (Object.keys(texts.sums) as (keyof typeof texts.sums)[]).map((name) => (
              <SumRow key={name} name={texts.sums[name]} value={sums[name]} />
            ))}
          {settlement.document_id !== null && (
            <>
              <dt>{texts.document}</dt>
              <dd>
                <Link href={`/operator/books/documents?document=${encodeURIComponent(settlement.document_id)}`}>
                  <bdi>{settlement.document_id}</bdi>
                </Link>
              </dd>
            </>
          )}
        </dl>
        {settlement.state !== 'booked' && sums !== null && sums.unmatched !== '0' && (
          <Note tone="warn">
            <Amount value={sums.unmatched} unit /> {texts.unmatchedText}
          </Note>
        )}
        {settlement.state !== 'booked' && sums !== null && sums.difference !== '0' && (
          <Note tone="warn">
            <Amount value={sums.difference.replace('-', '')} unit /> {how}
          </Note>
        )}
        {!settlement.has_lines && settlement.kind === 'gateway' && <Note tone="info">{texts.onlySums}</Note>}
        {settlement.state !== 'booked' && <Acts settlement={settlement} />}
      </div>
    </Panel>
  );
}

function SumRow({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Amount value={value} unit />
      </dd>
    </>
  );
}

function Acts({ settlement }: { settlement: Settlement }) {
  const texts = useSettlementTexts();
  const [, navigate] = useLocation();
  const [booking, setBooking] = useState(false);
  const mayBook = useStaffMay<typeof bookSettlement>(['owner', 'finance']);
  const params = { id: settlement.id };
  const rematch = useChange<typeof rematchSettlement>('POST /api/admin/settlements/:id/match', { stale: STALE });
  const discard = useChange<typeof discardSettlement>('DELETE /api/admin/settlements/:id', {
    stale: STALE,
    done: () => navigate('/operator/books/settlement'),
  });
  if (!mayBook) return null;
  return (
    <div className="row">
      <button type="button" className="btn main" disabled={settlement.sums === null} onClick={() => setBooking(true)}>
        {texts.book}
      </button>
      {settlement.has_lines && (
        <button type="button" className="btn" disabled={rematch.isPending} onClick={() => rematch.mutate({ params })}>
          {texts.rematch}
        </button>
      )}
      <AskingButton
        className="btn"
        title={texts.discardTitle}
        text={texts.discardText}
        onConfirm={() => discard.mutate({ params })}
      >
        {texts.discard}
      </AskingButton>
      {booking && <BookDialog settlement={settlement} onClose={() => setBooking(false)} />}
    </div>
  );
}

/** Sends back what is shown here: if it changed meanwhile, nothing is booked. */
function BookDialog({ settlement, onClose }: { settlement: Settlement; onClose(): void }) {
  const texts = useSettlementTexts();
  const shared = useShared();
  const toast = useToast();
  const banks = useBanks();
  const [bank, setBank] = useState<string>();
  const [vat, setVat] = useState<string | null>(null);
  const book = useChange<typeof bookSettlement>('POST /api/admin/settlements/:id/book', {
    quiet: true,
    stale: STALE,
    done() {
      toast({ text: texts.booked });
      onClose();
    },
  });
  const { sums, kind, unit } = settlement;
  if (sums === null) return null;
  const isToman = unit === 'IRR' || unit === 'IRT';
  const send = () =>
    book.mutate({
      params: { id: settlement.id },
      body: {
        difference: sums.difference,
        unmatched: sums.unmatched,
        ...(bank === undefined ? {} : { bank }),
        ...(vat === null ? {} : { vat }),
      },
    });
  return (
    <Dialog
      title={texts.bookTitle}
      onClose={onClose}
      footer={
        <DialogActs disabled={book.isPending} onAct={send} onClose={onClose}>
          {texts.book}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <p>{texts.bookText}</p>
        <dl className="facts">
          {(Object.keys(texts.sums) as (keyof typeof texts.sums)[]).map((name) => (
            <SumRow key={name} name={texts.sums[name]} value={sums[name]} />
          ))}
        </dl>
        {kind === 'gateway' && isToman && banks.length > 1 && (
          <SelectField label={texts.bank} value={bank ?? banks[0]?.[0] ?? ''} onChange={setBank} options={banks} />
        )}
        {kind === 'gateway' && (
          <NumberField label={texts.feeVat} unit={shared.toman} name="vat" value={vat} onChange={setVat} />
        )}
        {book.error !== null && <Note tone="warn">{book.error.message}</Note>}
      </div>
    </Dialog>
  );
}
