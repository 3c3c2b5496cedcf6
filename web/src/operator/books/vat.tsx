/** VAT of a season: what papers say, what was paid on purchases, and what the book of it says. */

import type { getVatSeason } from '@dargah/api/admin/book-reports.ts';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { AmountCell } from '../../parts/figures.tsx';
import { Note, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { CsvLink } from './csv-link.tsx';
import { SeasonFilter } from './month-filter.tsx';
import { useSpanNames } from './spans.ts';
import { useAccountingTexts } from './texts.ts';

type Season = Result<typeof getVatSeason>;

export function VatPage() {
  const texts = useAccountingTexts();
  const names = useSpanNames();
  const address = useAddress();
  const season = address.get('season');
  const query = season === undefined ? {} : { season };
  const read = useRead<typeof getVatSeason>('GET /api/admin/books/vat', { query }, { keep: true });
  const { data } = read;
  return (
    <Panel
      title={data === undefined ? texts.tabs.vat : names.name(data)}
      aside={
        <>
          <SeasonFilter label={texts.season} />
          <CsvLink report="vat" query={{ season }} />
          <CsvLink report="tax" query={{ season: data?.id }} name={texts.taxFile} />
        </>
      }
    >
      {read.error !== null && data === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : data === undefined ? (
        <span className="skel block" />
      ) : (
        <SeasonTable season={data} />
      )}
    </Panel>
  );
}

function SeasonTable({ season }: { season: Season }) {
  const texts = useAccountingTexts();
  const names = useSpanNames();
  const rows = Object.keys(texts.vatRows) as (keyof typeof texts.vatRows)[];
  const agrees = season.months.every(({ difference }) => difference === '0');
  return (
    <>
      <div className="scroll-x">
        <table className="table dense report" aria-label={texts.tabs.vat}>
          <thead>
            <tr>
              <td />
              {season.months.map((month) => (
                <th key={month.id} scope="col" className="number hs">
                  {names.name(month)}
                </th>
              ))}
              <th scope="col" className="number">
                {texts.total}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row">{texts.vatRows[row]}</th>
                {season.months.map((month) => (
                  <td key={month.id} className="number hs mid">
                    <AmountCell value={month[row]} />
                  </td>
                ))}
                <td className="number">
                  <AmountCell value={season.total[row]} />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="sum">
              <th scope="row">{texts.payable}</th>
              {season.months.map(({ id }) => (
                <td key={id} className="hs" />
              ))}
              <td className="number">
                <AmountCell value={season.payable} />
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
      <div className="pad under stack">
        <p className="row">
          <Pill tone={agrees ? 'ok' : 'warn'}>{agrees ? texts.agrees : texts.disagrees}</Pill>
          {!agrees && <span className="mid">{texts.disagreesText}</span>}
        </p>
        <ToSend season={season} />
      </div>
    </>
  );
}

function ToSend({ season }: { season: Season }) {
  const texts = useAccountingTexts();
  const format = useFormat();
  const names = useSpanNames();
  const { count, until } = season.to_send;
  if (count === 0 || until === null) return <p className="mid">{texts.allSent}</p>;
  return (
    <Note tone="warn">
      {texts.toSend(format.number(count), names.day(until))}{' '}
      <Link href="/operator/books/invoices?tax_state=to-send">{texts.list}</Link>
    </Note>
  );
}
