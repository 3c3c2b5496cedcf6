/** Profit and loss by month, season or year, each beside the former one. */

import type { getProfitAndLoss } from '@dargah/api/admin/book-reports.ts';
import type { TransferKind } from '@dargah/core/transfer-kinds.ts';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Amount, AmountCell } from '../../parts/figures.tsx';
import { Empty, Note, Panel } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { BookName } from '../book-name.tsx';
import { CsvLink } from './csv-link.tsx';
import { useSpanNames } from './spans.ts';
import { useAccountingTexts } from './texts.ts';

type Report = Result<typeof getProfitAndLoss>;
type By = 'month' | 'quarter' | 'year';
const COUNTS: Record<By, number> = { month: 3, quarter: 2, year: 2 };
/** From this share of unknown costs on there is no single figure of profit. */
const UNKNOWN_SHARE = 0.01;

export function ProfitAndLossPage() {
  const texts = useAccountingTexts();
  const address = useAddress();
  const by = (Object.keys(COUNTS) as By[]).find((one) => one === address.get('by')) ?? 'month';
  const query = { by, count: COUNTS[by] };
  const read = useRead<typeof getProfitAndLoss>('GET /api/admin/books/profit-and-loss', { query }, { keep: true });
  return (
    <Panel
      title={texts.tabs.profit}
      aside={
        <>
          <Segments
            label={texts.tabs.profit}
            value={by}
            onChange={(next) => address.set({ by: next })}
            options={(Object.keys(COUNTS) as By[]).map((one) => [one, texts.by[one]] as const)}
          />
          <CsvLink report="profit" query={{ by, count: by === 'month' ? 12 : COUNTS[by] }} />
        </>
      }
    >
      {read.error !== null && read.data === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : read.data === undefined ? (
        <span className="skel block" />
      ) : (
        <Lines report={read.data} />
      )}
    </Panel>
  );
}

/** The latest comes first, because people look for it. */
function Lines({ report }: { report: Report }) {
  const texts = useAccountingTexts();
  const names = useSpanNames();
  const places = report.spans.map((_, at) => at).reverse();
  const anyUnknown = report.unknown_cost.some(({ requests }) => requests > 0);
  if (report.lines.length === 0) return <Empty title={texts.none} text={texts.noneText} />;
  const place = (at: number) => (at === places[0] ? 'number' : 'number hs mid');
  return (
    <>
      <div className="scroll-x">
        <table className="table dense report" aria-label={texts.tabs.profit}>
          <thead>
            <tr>
              <th scope="col">{texts.book}</th>
              {places.map((at) => (
                <th key={at} scope="col" className={place(at)}>
                  {report.spans[at] !== undefined && names.name(report.spans[at])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.lines.map(({ book, kind, amounts }) => (
              <tr key={`${book} ${kind}`}>
                <th scope="row">
                  <BookName book={book} />
                  <span className="sub">{texts.kinds[kind as TransferKind]}</span>
                </th>
                {places.map((at) => (
                  <td key={at} className={place(at)}>
                    <AmountCell value={amounts[at] ?? '0'} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            {anyUnknown && (
              <tr>
                <th scope="row">
                  <span className="warn">{texts.unknownRow}</span>
                </th>
                {places.map((at) => (
                  <td key={at} className={place(at)}>
                    <AmountCell value={report.unknown_cost[at]?.revenue ?? '0'} />
                  </td>
                ))}
              </tr>
            )}
            <tr className="sum">
              <th scope="row">{texts.result}</th>
              {places.map((at) => (
                <td key={at} className={place(at)}>
                  <Profit report={report} at={at} />
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      <Unknown report={report} />
      <p className="pad under xs">
        <Link href="/operator/ledger/profit">{texts.byModel}</Link>
      </p>
    </>
  );
}

/** The sales of the span, and the share of them whose cost is unknown. */
function unknownShare(report: Report, at: number): number {
  const sold = report.lines
    .filter(({ book, kind }) => book === 'revenue' && kind === 'charge')
    .reduce((sum, { amounts }) => sum + Number(amounts[at] ?? 0), 0);
  return sold === 0 ? 0 : Number(report.unknown_cost[at]?.revenue ?? 0) / sold;
}

function Profit({ report, at }: { report: Report; at: number }) {
  const texts = useAccountingTexts();
  const format = useFormat();
  const profit = report.profit[at] ?? '0';
  if (unknownShare(report, at) <= UNKNOWN_SHARE) return <AmountCell value={profit} />;
  const unknown = report.unknown_cost[at]?.revenue ?? '0';
  return <b>{texts.between(format.money(minus(profit, unknown)), format.money(profit))}</b>;
}

function Unknown({ report }: { report: Report }) {
  const texts = useAccountingTexts();
  const format = useFormat();
  const at = report.spans.length - 1;
  const share = unknownShare(report, at);
  if (share === 0) return null;
  return (
    <div className="pad">
      <Note tone="warn">
        {texts.unknown(format.percent(share, 2))}: <Amount value={report.unknown_cost[at]?.revenue ?? '0'} unit />.{' '}
        {share > UNKNOWN_SHARE && texts.betweenWhy}
      </Note>
    </div>
  );
}

const MICRO = 1_000_000n;

/** Subtracts exact toman texts without a float. */
function minus(a: string, b: string): string {
  const micro = (text: string) => {
    const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
    const value = BigInt(whole) * MICRO + BigInt(fraction.padEnd(6, '0'));
    return text.startsWith('-') ? -value : value;
  };
  const left = micro(a) - micro(b);
  const size = left < 0n ? -left : left;
  return `${left < 0n ? '-' : ''}${size / MICRO}.${String(size % MICRO).padStart(6, '0')}`;
}
