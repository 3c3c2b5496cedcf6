/** The price of one model: a new version now or for a day, unpinning, and all versions with the announced ones. */

import type { listManagedModels, listPrices, setPrice, unpinPrice, withdrawPrice } from '@dargah/api/admin/models.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { type Day, startOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { usePriceName } from '../../parts/declared.ts';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Becomes, Moment } from '../../parts/figures.tsx';
import { NumberField } from '../../parts/form.tsx';
import { Note } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useToast } from '../../parts/toast.tsx';
import { usePreferences } from '../../preferences.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { FromDay } from './from-day.tsx';
import { fieldsOf, partsOf, STALE, tiersOf } from './money-fields.ts';
import { givenTiers, SoldBeside, TermsOfPrice, tiersOfService } from './sold-beside.tsx';
import { useModelTexts } from './texts.ts';

type Model = Result<typeof listManagedModels>['data'][number];

export function PriceDialog({ model, onClose }: { model: Model; onClose(): void }) {
  const texts = useModelTexts();
  const shared = useShared();
  const toast = useToast();
  const nameOf = usePriceName();
  const { timeZone } = usePreferences();
  const params = partsOf(model.id);
  const known = model.price === null ? { input: '0', output: '0' } : fieldsOf(model.price.price);
  const [values, setValues] = useState<Record<string, string | null>>(known);
  const [day, setDay] = useState<Day | null>(null);
  const save = useChange<typeof setPrice>('POST /api/admin/models/:vendor/:model/prices', {
    stale: STALE,
    quiet: true,
    done() {
      toast({ text: day === null ? texts.priceDone : texts.announcedDone });
      onClose();
    },
  });
  const mayPrice = useStaffMay<typeof setPrice>(['owner', 'finance']);
  const changed = Object.entries(values).filter(([field, value]) => value !== (known[field] ?? null));
  const knownTiers = tiersOfService(model.price?.price);
  const [tiers, setTiers] = useState<Record<string, string | null>>(knownTiers);
  const tiersChanged = Object.entries(tiers).some(([tier, value]) => value !== (knownTiers[tier] ?? null));
  return (
    <Dialog
      title={texts.priceOf(`\u2066${model.id}\u2069`)}
      wide
      onClose={onClose}
      footer={
        mayPrice ? (
          <DialogActs
            onClose={onClose}
            disabled={(changed.length === 0 && !tiersChanged) || save.isPending}
            onAct={() =>
              save.mutate({
                params,
                body: {
                  price: {
                    ...Object.fromEntries(changed),
                    ...(tiersChanged && { service_tiers: givenTiers(tiers) }),
                  },
                  ...(day === null ? {} : { effective_at: startOf(day, timeZone).toISOString() }),
                },
              })
            }
          >
            {day === null ? texts.setPrice : texts.announce}
          </DialogActs>
        ) : (
          <button type="button" className="btn" onClick={onClose}>
            {shared.close}
          </button>
        )
      }
    >
      <ChangedBy<typeof setPrice> roles={['owner', 'finance']}>
        {model.price?.pinned === true && <Pinned id={model.id} />}
        <p className="xs dim">{texts.perMillion}</p>
        <div className="columns">
          {Object.keys(known).map((field) => (
            <NumberField
              key={field}
              label={nameOf(field)}
              unit={shared.toman}
              value={values[field] ?? null}
              onChange={(next) => setValues((before) => ({ ...before, [field]: next }))}
            />
          ))}
          {mayPrice && <FromDay value={day} onChange={setDay} />}
        </div>
        {model.kind === 'chat' && (
          <SoldBeside
            known={known}
            values={values}
            onPrice={(field, next) => setValues((before) => ({ ...before, [field]: next }))}
            tiers={tiers}
            onTier={(tier, next) => setTiers((before) => ({ ...before, [tier]: next }))}
          />
        )}
      </ChangedBy>
      <Differences known={known} changed={changed} />
      {save.error !== null && <p className="bad">{save.error.message}</p>}
      <Versions id={model.id} />
    </Dialog>
  );
}

function Differences({ known, changed }: { known: Record<string, string>; changed: [string, string | null][] }) {
  const { changedBy } = useModelTexts();
  const nameOf = usePriceName();
  const format = useFormat();
  const changeOf = (share: number) =>
    share < 0 ? changedBy.less(format.percent(-share, 2)) : changedBy.more(format.percent(share, 2));
  if (changed.length === 0) return null;
  return (
    <ul className="what">
      {changed.map(([field, value]) => (
        <li key={field}>
          {nameOf(field)}: {format.money(known[field] ?? '0')} <Becomes />{' '}
          <b>{value === null ? '—' : format.money(value)}</b>{' '}
          {value !== null && Number(known[field] ?? 0) > 0 && (
            <span className="dim">({changeOf(Number(value) / Number(known[field]) - 1)})</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Pinned({ id }: { id: string }) {
  const texts = useModelTexts();
  const toast = useToast();
  const unpin = useChange<typeof unpinPrice>('POST /api/admin/models/:vendor/:model/prices/unpin', {
    stale: STALE,
    done: () => toast({ text: texts.unpinned }),
  });
  return (
    <Note tone="info">
      <div className="row between">
        <span>{texts.unpinText}</span>
        <button
          type="button"
          className="btn small"
          disabled={unpin.isPending}
          onClick={() => unpin.mutate({ params: partsOf(id) })}
        >
          {texts.unpin}
        </button>
      </div>
    </Note>
  );
}

function Versions({ id }: { id: string }) {
  const texts = useModelTexts();
  const nameOf = usePriceName();
  const format = useFormat();
  const toast = useToast();
  const params = partsOf(id);
  const read = useRead<typeof listPrices>('GET /api/admin/models/:vendor/:model/prices', { params, query: {} });
  const mayWithdraw = useStaffMay<typeof withdrawPrice>(['owner', 'finance']);
  const withdraw = useChange<typeof withdrawPrice>('DELETE /api/admin/models/:vendor/:model/prices/:version', {
    stale: STALE,
    done: () => toast({ text: texts.withdrawn }),
  });
  const said = (fields: Record<string, string>) =>
    Object.entries(fields)
      .map(([field, value]) => `${nameOf(field)} ${format.money(value)}`)
      .join(' · ');
  return (
    <>
      <h3>{texts.priceHistory}</h3>
      <ul className="stack gap-s">
        {read.data?.data.map((version) => {
          const ahead = new Date(version.effective_at).getTime() > Date.now();
          return (
            <li key={version.version} className="stack gap-s xs">
              <div className="row between">
                {ahead ? (
                  <Pill tone="held">{texts.announcedFor(format.dateTime(version.effective_at))}</Pill>
                ) : (
                  <b>
                    <Moment at={version.effective_at} exact />
                  </b>
                )}
                <Id value={version.version} />
              </div>
              <div className="row between">
                <span>{said(fieldsOf(version.price))}</span>
                {mayWithdraw && ahead && version.pinned && (
                  <button
                    type="button"
                    className="btn small"
                    disabled={withdraw.isPending}
                    onClick={() => withdraw.mutate({ params: { ...params, version: version.version } })}
                  >
                    {texts.withdraw}
                  </button>
                )}
              </div>
              {tiersOf(version.price).map(({ above, fields }) => (
                <span key={above} className="dim">
                  {texts.tier(format.number(above))}: {said(fields)}
                </span>
              ))}
              <TermsOfPrice price={version.price} />
              {version.exchange_rate !== null && (
                <span className="dim">
                  {texts.rateNow} {format.money(version.exchange_rate)}
                  {version.margin !== null && ` · ${texts.marginNow} ${format.percent(Number(version.margin), 2)}`}
                  {version.margin_layer !== null &&
                    ` (${labelOf(texts.layers, version.margin_layer) ?? version.margin_layer})`}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
