/** A file becomes a settlement: chosen, its columns named (the last names are remembered), looked at, and stored as a whole. */

import type { getOpenItems, importSettlement, previewSettlementFile } from '@dargah/api/admin/settlements.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChange, useRead } from '../../../api/read.ts';
import { useFormat } from '../../../format.ts';
import { Dialog, DialogActs } from '../../../parts/dialog.tsx';
import { Field, SelectField, TextField } from '../../../parts/form.tsx';
import { Note } from '../../../parts/page-frame.tsx';
import { Table } from '../../../parts/table.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { useBanks, useSettlingGateways } from './opening.tsx';
import { STALE } from './stale.ts';
import { useSettlementTexts } from './texts.ts';

const OF_GATEWAY = ['date', 'amount', 'fee', 'reference', 'external_id', 'text'] as const;
const OF_BANK = ['date', 'amount', 'paid_in', 'paid_out', 'reference', 'text'] as const;
type ColumnName = (typeof OF_GATEWAY)[number] | (typeof OF_BANK)[number];
type Chosen = Partial<Record<ColumnName, string>>;
type Unit = 'IRR' | 'IRT';

export function ImportDialog({ onClose }: { onClose(): void }) {
  const texts = useSettlementTexts();
  const toast = useToast();
  const [, navigate] = useLocation();
  const file = useFile();
  const [externalId, setExternalId] = useState('');
  const [reference, setReference] = useState('');
  const store = useChange<typeof importSettlement>('POST /api/admin/settlements', {
    quiet: true,
    stale: STALE,
    done({ id }) {
      toast({ text: texts.stored });
      navigate(`/operator/books/settlement/${id}`);
    },
  });
  const { read, isReady, body } = file;
  const send = () => {
    const told = {
      ...(externalId.trim() === '' ? {} : { external_id: externalId.trim() }),
      ...(reference.trim() === '' ? {} : { reference: reference.trim() }),
    };
    if (body !== undefined) store.mutate({ body: { ...body, ...(body.kind === 'gateway' ? told : {}) } });
  };
  return (
    <Dialog
      wide
      title={texts.importTitle}
      onClose={onClose}
      footer={
        <DialogActs disabled={!isReady || store.isPending} onAct={send} onClose={onClose}>
          {texts.store}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <SourceFields file={file} />
        {file.isGateway && read !== undefined && (
          <div className="columns">
            <TextField label={texts.externalId} dir="ltr" value={externalId} onChange={setExternalId} />
            <TextField label={texts.bankReference} dir="ltr" value={reference} onChange={setReference} />
          </div>
        )}
        {store.error !== null && <Note tone="warn">{store.error.message}</Note>}
        <Preview file={file} />
      </div>
    </Dialog>
  );
}

type OpenFile = ReturnType<typeof useFile>;

/** The file, whose it is, what its columns mean, and what the server reads in it. */
function useFile() {
  const gateways = useSettlingGateways();
  const banks = useBanks();
  const items = useRead<typeof getOpenItems>('GET /api/admin/open-items', {});
  const [whose, setWhose] = useState<string>();
  const [text, setText] = useState<string>();
  const [unit, setUnit] = useState<Unit>();
  const [chosen, setChosen] = useState<Chosen>();
  const preview = useChange<typeof previewSettlementFile>('POST /api/admin/settlements/preview', { quiet: true });
  const sources = [
    ...gateways.map(([id, name]) => [`gateway:${id}`, name] as const),
    ...banks.map(([id, name]) => [`bank:${id}`, name] as const),
  ];
  const at = whose ?? sources[0]?.[0] ?? '';
  const known = items.data?.columns.find(({ source }) => source === at)?.columns;
  const usedUnit = unit ?? (known?.['unit'] as Unit | undefined) ?? 'IRR';
  const used: Chosen = chosen ?? known ?? {};
  const isGateway = at.startsWith('gateway:');
  const names = isGateway ? OF_GATEWAY : OF_BANK;
  const ask = (next: { text?: string; columns?: Chosen; at?: string; unit?: Unit }) => {
    const content = next.text ?? text;
    const columns = columnsOf(next.columns ?? used, names);
    const [kind, source = ''] = splitSource(next.at ?? at);
    if (content !== undefined)
      preview.mutate({
        body: {
          kind,
          source,
          text: content,
          unit: next.unit ?? usedUnit,
          ...(columns === undefined ? {} : { columns }),
        },
      });
  };
  const [kind, source] = splitSource(at);
  const columns = columnsOf(used, names);
  const read = preview.data;
  return {
    sources,
    at,
    isGateway,
    names,
    used,
    unit: usedUnit,
    read,
    error: preview.error,
    setWhose(next: string) {
      setWhose(next);
      setChosen(undefined);
    },
    setUnit,
    setText(next: string) {
      setText(next);
      ask({ text: next });
    },
    setColumn(name: ColumnName, value: string) {
      const { [name]: _, ...others } = used;
      const next = value === '' ? others : { ...others, [name]: value };
      setChosen(next);
      ask({ columns: next });
    },
    isReady: columns !== undefined && read !== undefined && read.bad.length === 0 && read.count > 0,
    body: columns === undefined || text === undefined ? undefined : { kind, source, text, unit: usedUnit, columns },
  };
}

function splitSource(at: string): ['gateway' | 'bank', string] {
  const [kind = '', ...rest] = at.split(':');
  return [kind === 'bank' ? 'bank' : 'gateway', rest.join(':')];
}

/** Only with a day and an amount can a row be read. */
function columnsOf(chosen: Chosen, names: readonly ColumnName[]): (Chosen & { date: string }) | undefined {
  const { date } = chosen;
  const kept = Object.fromEntries(names.flatMap((name) => (chosen[name] === undefined ? [] : [[name, chosen[name]]])));
  if (date === undefined || (chosen.amount === undefined && chosen.paid_in === undefined)) return undefined;
  return { ...kept, date };
}

function SourceFields({ file }: { file: OpenFile }) {
  const texts = useSettlementTexts();
  const readFile = async (chosen: File | undefined) => {
    if (chosen !== undefined) file.setText(await chosen.text());
  };
  return (
    <>
      <div className="columns">
        <SelectField label={texts.fileOf} value={file.at} onChange={file.setWhose} options={file.sources} />
        <SelectField
          label={texts.unit}
          value={file.unit}
          onChange={(next) => file.setUnit(next as Unit)}
          options={Object.entries(texts.units)}
        />
      </div>
      <Field label={texts.file} hint={texts.fileHint} error={file.error?.message}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="file"
            accept=".csv,.txt,text/csv"
            onChange={(event) => void readFile(event.target.files?.[0])}
          />
        )}
      </Field>
      {file.read !== undefined && file.read.names.length > 0 && (
        <div className="columns">
          {file.names.map((name) => (
            <SelectField
              key={name}
              label={texts.columns[name]}
              value={file.used[name] ?? ''}
              onChange={(value) => file.setColumn(name, value)}
              options={[['', texts.noColumn] as const, ...(file.read?.names ?? []).map((one) => [one, one] as const)]}
            />
          ))}
        </div>
      )}
    </>
  );
}

function Preview({ file: { read } }: { file: OpenFile }) {
  const texts = useSettlementTexts();
  const format = useFormat();
  if (read === undefined) return null;
  return (
    <div className="stack gap-s" aria-live="polite">
      <span className="mid">{texts.rowsRead(format.number(read.count))}</span>
      {read.bad.length > 0 && (
        <Note tone="warn">
          {texts.badRows}
          <ul>
            {read.bad.map(({ line, column, reason }) => (
              <li key={`${line}-${column}`}>
                {texts.badRow(format.number(line), column)}: {reason[format.language]}
              </li>
            ))}
          </ul>
        </Note>
      )}
      {read.first.length > 0 && (
        <Table
          label={texts.preview}
          dense
          rows={read.first}
          idOf={({ line }) => String(line)}
          columns={[
            {
              id: 'day',
              head: texts.day,
              fold: 'c3',
              className: 'mid nowrap',
              cell: ({ day }) => format.date(`${day}T12:00:00Z`),
            },
            { id: 'amount', head: texts.amount, number: true, fold: 'c2', cell: ({ gross }) => format.number(gross) },
            {
              id: 'reference',
              head: texts.reference,
              fold: 'c1',
              cell: ({ reference, text }) => (
                <>
                  <bdi className="strong">{reference ?? '—'}</bdi>
                  {text !== null && (
                    <span className="sub">
                      <bdi>{text}</bdi>
                    </span>
                  )}
                </>
              ),
            },
          ]}
        />
      )}
    </div>
  );
}
