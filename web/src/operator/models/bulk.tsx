/** Several models at once: switched on or off, unpinned, or priced by a percentage, after seeing what each becomes. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  changeModel,
  listManagedModels,
  setPrice,
  unpinPrice,
} from '../../../../server/src/http/admin/routes/models.ts';
import { call, type Result } from '../../api/call.ts';
import { forget, useSayRefusal } from '../../api/read.ts';
import { fromMicros, micros, useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Becomes } from '../../parts/figures.tsx';
import { NumberField } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { useStaffMay } from '../may.ts';
import { useBulkTexts } from './bulk-texts.ts';
import { fieldsOf, type Prices, partsOf, STALE } from './money-fields.ts';

type Model = Result<typeof listManagedModels>['data'][number];

export function Bulk({ models, onClear }: { models: readonly Model[]; onClear(): void }) {
  const texts = useBulkTexts();
  const format = useFormat();
  const client = useQueryClient();
  const toast = useToast();
  const say = useSayRefusal();
  const [done, setDone] = useState<number>();
  const [pricing, setPricing] = useState(false);
  const mayTurn = useStaffMay<typeof changeModel>(['owner']);
  const each = async (act: (model: Model) => Promise<unknown>, of = models) => {
    setDone(0);
    try {
      for (const [index, model] of of.entries()) {
        await act(model);
        setDone(index + 1);
      }
      toast({ text: texts.done(format.number(of.length)) });
      onClear();
    } catch (error) {
      say(error);
    } finally {
      setDone(undefined);
      forget(client, STALE);
    }
  };
  const turn = (enabled: boolean) =>
    each(({ id }) =>
      call<typeof changeModel>('PATCH /api/admin/models/:vendor/:model', { params: partsOf(id), body: { enabled } }),
    );
  const pinned = models.filter(({ price }) => price?.pinned === true);
  const unpin = () =>
    each(
      ({ id }) =>
        call<typeof unpinPrice>('POST /api/admin/models/:vendor/:model/prices/unpin', { params: partsOf(id) }),
      pinned,
    );
  return (
    <div className="bulk row" role="toolbar" aria-label={texts.chosen(format.number(models.length))}>
      <span className="strong">{texts.chosen(format.number(models.length))}</span>
      {done !== undefined ? (
        <>
          <progress className="bar-progress" value={done} max={models.length} aria-label={texts.working} />
          <output className="xs mid">{texts.doneOf(format.number(done), format.number(models.length))}</output>
        </>
      ) : (
        <>
          <button type="button" className="btn small" onClick={() => setPricing(true)}>
            {texts.price}
          </button>
          {mayTurn && (
            <>
              <button type="button" className="btn small" onClick={() => void turn(true)}>
                {texts.on}
              </button>
              <button type="button" className="btn small" onClick={() => void turn(false)}>
                {texts.off}
              </button>
            </>
          )}
          {pinned.length > 0 && (
            <button type="button" className="btn small" onClick={() => void unpin()}>
              {texts.unpin(format.number(pinned.length))}
            </button>
          )}
          <button type="button" className="btn small plain" onClick={onClear}>
            {texts.none}
          </button>
        </>
      )}
      {pricing && (
        <ByPercent
          models={models}
          onClose={() => setPricing(false)}
          onApply={(priceOf) => {
            setPricing(false);
            void each((model) =>
              call<typeof setPrice>('POST /api/admin/models/:vendor/:model/prices', {
                params: partsOf(model.id),
                body: { price: priceOf(model) },
              }),
            );
          }}
        />
      )}
    </div>
  );
}

/** Exact: a percentage with two decimals of an amount in micro-toman. */
function changedBy(prices: Prices, percent: string): Prices {
  const factor = 10_000n + BigInt(Math.round(Number(percent) * 100));
  const changed = Object.entries(prices).map(([field, value]) => [
    field,
    fromMicros((micros(value) * factor) / 10_000n),
  ]);
  return Object.fromEntries(changed) as Prices;
}

function ByPercent({
  models,
  onApply,
  onClose,
}: {
  models: readonly Model[];
  onApply(priceOf: (model: Model) => Prices): void;
  onClose(): void;
}) {
  const texts = useBulkTexts();
  const { percentSign } = useShared();
  const format = useFormat();
  const [percent, setPercent] = useState<string | null>(null);
  const isGiven = percent !== null && Number.isFinite(Number(percent)) && Number(percent) > -100;
  const after = (model: Model) => changedBy(fieldsOf(model.price?.price ?? {}), percent ?? '0');
  const before = (model: Model) => fieldsOf(model.price?.price ?? {});
  const cell = (field: string) => (model: Model) => {
    const [was, becomes] = [before(model)[field], after(model)[field]];
    if (was === undefined || becomes === undefined) return '—';
    return (
      <span className="row keep">
        <span className="dim">{format.money(was)}</span>
        <Becomes />
        <b>{format.money(becomes)}</b>
      </span>
    );
  };
  return (
    <Dialog
      title={texts.priceTitle}
      wide
      onClose={onClose}
      footer={
        <DialogActs onClose={onClose} disabled={!isGiven || Number(percent) === 0} onAct={() => onApply(after)}>
          {texts.apply}
        </DialogActs>
      }
    >
      <NumberField
        label={texts.percent}
        hint={texts.percentHint}
        unit={percentSign}
        signed
        value={percent}
        onChange={setPercent}
      />
      <Table
        label={texts.priceTitle}
        dense
        rows={models}
        idOf={({ id }) => id}
        columns={[
          { id: 'id', head: texts.model, fold: 'c1', cell: ({ id }) => <Id value={id} /> },
          { id: 'input', head: texts.input, fold: 'c2', cell: cell('input') },
          { id: 'output', head: texts.output, fold: 'c4', cell: cell('output') },
        ]}
      />
    </Dialog>
  );
}
