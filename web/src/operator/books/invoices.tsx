/** Invoices and credit notes of all accounts, and what the tax office knows of each. */

import type { importTaxResults, listInvoicePapers } from '@dargah/api/admin/book-reports.ts';
import { latinDigits, persianDigits } from '@dargah/core/persian-text.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useChange, usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { AmountCell } from '../../parts/figures.tsx';
import { Filter, FilterDay, FilterText } from '../../parts/filter.tsx';
import { AreaField } from '../../parts/form.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { type Column, MoreButton, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { ListBar } from '../lists/list-bar.tsx';
import { useStaffMay } from '../may.ts';
import { CsvLink } from './csv-link.tsx';
import { SeasonFilter } from './month-filter.tsx';
import { useSpanNames } from './spans.ts';
import { useAccountingTexts } from './texts.ts';

type Paper = Result<typeof listInvoicePapers>['data'][number];
type Query = NonNullable<Parameters<typeof usePages<typeof listInvoicePapers>>[1]['query']>;

const TONES: Record<Paper['tax_state'], Tone> = { 'not-sent': 'off', sent: 'info', accepted: 'ok', refused: 'bad' };
const FILTERS = ['from', 'to', 'season', 'kind', 'account_id', 'number', 'series', 'tax_state'] as const;

export function InvoicesPage() {
  const texts = useAccountingTexts();
  const address = useAddress();
  const may = useStaffMay<typeof importTaxResults>(['owner', 'finance']);
  const [importing, setImporting] = useState(false);
  const given = Object.fromEntries(
    FILTERS.flatMap((name): [string, string][] => {
      const value = address.get(name);
      return value === undefined ? [] : [[name, name === 'number' ? latinDigits(value) : value]];
    }),
  );
  const list = usePages<typeof listInvoicePapers>('GET /api/admin/books/invoices', {
    query: { ...given, limit: 50 } as Query,
  });
  const columns = useColumns();
  return (
    <Panel
      title={texts.tabs.invoices}
      aside={
        <>
          <CsvLink report="tax" query={given} name={texts.taxFile} />
          {may && (
            <button type="button" className="btn small" onClick={() => setImporting(true)}>
              {texts.import}
            </button>
          )}
        </>
      }
    >
      <ListBar list="invoices" names={FILTERS} query={given}>
        <FilterText name="number" label={texts.number} />
        <SeasonFilter label={texts.season} />
        <Filter
          name="kind"
          label={texts.paper}
          options={(['invoice', 'credit-note'] as const).map((one) => [one, texts.papers[one]] as const)}
        />
        <Filter
          name="series"
          label={texts.series}
          options={(['official', 'receipt', 'specimen'] as const).map((one) => [one, texts.seriesNames[one]] as const)}
        />
        <Filter
          name="tax_state"
          label={texts.taxState}
          options={(Object.keys(texts.taxStates) as (keyof typeof texts.taxStates)[]).map(
            (one) => [one, texts.taxStates[one]] as const,
          )}
        />
        <FilterDay name="from" label={texts.from} />
        <FilterDay name="to" label={texts.to} />
      </ListBar>
      {list.error !== null && list.rows === undefined ? (
        <Trouble error={list.error} again={() => void list.refetch()} />
      ) : (
        <Table
          label={texts.tabs.invoices}
          rows={list.rows}
          idOf={({ id }) => id}
          empty={<Empty title={texts.noInvoices} text={texts.noneText} />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={columns}
        />
      )}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </Panel>
  );
}

function useColumns(): Column<Paper>[] {
  const texts = useAccountingTexts();
  const names = useSpanNames();
  const { language, date } = useFormat();
  const digits = (text: string) => (language === 'fa' ? persianDigits(text) : text);
  return [
    {
      id: 'number',
      head: texts.number,
      fold: 'c1',
      className: 'nowrap',
      cell: ({ number, pdf_url: pdf, series, corrects }) => (
        <>
          <a href={pdf} target="_blank" rel="noreferrer">
            <bdi dir="ltr">{digits(number)}</bdi>
          </a>
          {series !== 'official' && <span className="sub">{texts.seriesNames[series]}</span>}
          {corrects !== null && <span className="sub">{texts.corrects(digits(corrects))}</span>}
        </>
      ),
    },
    {
      id: 'issued',
      head: texts.issued,
      fold: 'c3',
      className: 'mid nowrap',
      cell: ({ issued_at: at }) => date(at),
    },
    { id: 'kind', head: texts.paper, className: 'mid', cell: ({ kind }) => texts.papers[kind] },
    {
      id: 'account',
      head: texts.account,
      cell: ({ account_id: id, account_name: name }) => (
        <Link href={`/operator/accounts/${id}`} title={id}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    { id: 'amount', head: texts.amount, number: true, fold: 'c2', cell: ({ amount }) => <AmountCell value={amount} /> },
    { id: 'vat', head: texts.vat, number: true, className: 'mid', cell: ({ vat }) => <AmountCell value={vat} /> },
    {
      id: 'tax',
      head: texts.taxState,
      fold: 'c4',
      cell: ({ series, tax_state: state, tax_number: number, tax_message: message, send_until: until }) =>
        series !== 'official' ? (
          '—'
        ) : (
          <>
            <Pill tone={TONES[state]}>{texts.taxStates[state]}</Pill>
            {number !== null && (
              <span className="sub">
                <bdi dir="ltr">{number}</bdi>
              </span>
            )}
            {until !== null && <span className="sub">{texts.until(names.day(until))}</span>}
            {message !== null && (
              <span className="sub">
                <bdi>{message}</bdi>
              </span>
            )}
          </>
        ),
    },
  ];
}

function ImportDialog({ onClose }: { onClose(): void }) {
  const texts = useAccountingTexts();
  const shared = useShared();
  const format = useFormat();
  const toast = useToast();
  const [text, setText] = useState('');
  const send = useChange<typeof importTaxResults>('POST /api/admin/books/tax-results', {
    quiet: true,
    stale: ['GET /api/admin/books/invoices', 'GET /api/admin/books/vat'],
    done({ changed }) {
      toast({ tone: 'good', text: texts.imported(format.number(changed)) });
      onClose();
    },
  });
  const read = (file: File | undefined) => void file?.text().then(setText);
  return (
    <Dialog
      title={texts.importTitle}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button
            type="button"
            className="btn main"
            disabled={text.trim() === '' || send.isPending}
            onClick={() => send.mutate({ body: { text } })}
          >
            {texts.apply}
          </button>
        </>
      }
    >
      <p className="mid">{texts.importText}</p>
      <label className="field">
        <span>{texts.chooseFile}</span>
        <input type="file" accept=".csv,text/csv" onChange={(event) => read(event.target.files?.[0])} />
      </label>
      <AreaField
        label={texts.importField}
        name="results"
        dir="ltr"
        rows={6}
        maxLength={1_000_000}
        value={text}
        onChange={setText}
        error={send.error?.message}
      />
    </Dialog>
  );
}
