/** What the server says a change of rate or margin does, before it is made. */

import type { changePricing, previewPricing } from '@dargah/api/admin/pricing.ts';
import type { getProfit } from '@dargah/api/admin/profit-and-costs.ts';
import { useMemo } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { AmountCell } from '../../parts/figures.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { startOfLastDays } from '../last-days.ts';
import { useTexts } from '../texts.ts';
import { fieldsOf, STALE } from './money-fields.ts';
import { useModelTexts } from './texts.ts';

type Preview = Result<typeof previewPricing>;

export interface Change {
  exchange_rate?: string;
  margins?: { layer: 'global' | 'vendor' | 'model'; subject?: string; margin: string | null }[];
  effective_at?: string;
}

/** A longer list would not be read. */
const ROWS_SHOWN = 40;

/** What the server says a change does, before it is made. */
export function Proposal({ change, preview, onClose }: { change: Change; preview: Preview; onClose(): void }) {
  const common = useTexts();
  const texts = useModelTexts();
  const format = useFormat();
  const toast = useToast();
  const later = change.effective_at !== undefined;
  const apply = useChange<typeof changePricing>('POST /api/admin/pricing', {
    stale: STALE,
    quiet: true,
    done({ new_prices: count }) {
      toast({ text: later ? texts.announcedDone : texts.applied(format.number(count)) });
      onClose();
    },
  });
  const rows = preview.changes.slice(0, ROWS_SHOWN);
  const cell = (price: object | null, field: string) => {
    const value = price === null ? undefined : fieldsOf(price)[field];
    return value === undefined ? '—' : <AmountCell value={value} />;
  };
  return (
    <Dialog
      title={later ? texts.announcedFor(format.dateTime(preview.effective_at)) : texts.preview}
      wide
      onClose={onClose}
      footer={
        <DialogActs onClose={onClose} disabled={apply.isPending} onAct={() => apply.mutate({ body: change })}>
          {later ? texts.announce : texts.applyNow}
        </DialogActs>
      }
    >
      <p>
        {preview.changes.length === 0 ? texts.nothingChanges : texts.changed(format.number(preview.changes.length))}
      </p>
      <Revenue preview={preview} />
      {preview.pinned.length > 0 && <p>{texts.previewPinned(format.number(preview.pinned.length))}</p>}
      {rows.length > 0 && (
        <Table
          label={texts.preview}
          dense
          rows={rows}
          idOf={({ model, from }) => `${model} ${from ?? ''}`}
          columns={[
            { id: 'model', head: common.model, fold: 'c1', cell: ({ model }) => <Id value={model} /> },
            {
              id: 'old',
              head: `${texts.outputPrice} · ${texts.old}`,
              number: true,
              cell: ({ old }) => cell(old, 'output'),
            },
            { id: 'new', head: texts.next, number: true, fold: 'c2', cell: (row) => cell(row.new, 'output') },
            {
              id: 'percent',
              head: texts.percent,
              number: true,
              fold: 'c3',
              cell: ({ change_percent: percent }) => (percent === null ? '—' : format.percent(percent / 100, 2)),
            },
          ]}
        />
      )}
      {preview.changes.length > rows.length && (
        <p className="dim">{texts.andMore(format.number(preview.changes.length - rows.length))}</p>
      )}
      {apply.error !== null && <p className="bad">{apply.error.message}</p>}
    </Dialog>
  );
}

/** The last week's sales at the new prices: what a change is worth, from what was really sold. */
function Revenue({ preview }: { preview: Preview }) {
  const texts = useModelTexts();
  const format = useFormat();
  const from = useMemo(() => startOfLastDays(7), []);
  const week = useRead<typeof getProfit>('GET /api/admin/profit', { query: { by: 'model', from } }).data;
  if (week === undefined) return null;
  const ratios = new Map(
    preview.changes.map(({ model, change_percent: percent }) => [model, 1 + (percent ?? 0) / 100]),
  );
  const sold = week.data.reduce((sum, row) => sum + roughly(row.revenue), 0);
  const after = week.data.reduce((sum, row) => sum + roughly(row.revenue) * (ratios.get(row.value) ?? 1), 0);
  return <p>{texts.previewRevenue(format.number(sold, 0), format.number(after, 0))}</p>;
}
