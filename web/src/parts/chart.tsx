/**
 * Charts of our own, drawn as SVG: bars for amounts of a day, lines for times and shares. Time runs in reading direction.
 * Labels are HTML, so that they do not stretch; each chart has a table beneath and a CSV of exactly its points.
 */
import { type ReactNode, useState } from 'react';
import { useShared } from '../texts/shared.ts';
import { vars } from './meter.tsx';
import { Skeleton } from './skeleton.tsx';
import { downloadCsv } from './table.tsx';

export interface Series {
  id: string;
  name: ReactNode;
  /** One per point; null is a gap. */
  values: readonly (number | null)[];
  /** The exact values as text, for the table and the CSV. */
  exact?: readonly (string | null)[];
}

export interface ChartProps {
  /** A sentence that names the chart. */
  name: string;
  fileName: string;
  kind: 'bars' | 'lines';
  /** The moments or labels along the axis. */
  points: readonly string[];
  label(point: string): string;
  /** At most three; more belong into "others". */
  series: readonly Series[];
  unit: string;
  show(value: number): string;
  showExact?(value: string): string;
  /** While its points are being read, its space and its grid are shown. */
  loading?: boolean;
  /** The last point is still growing. */
  lastIsOpen?: boolean;
  reference?: { value: number; name: ReactNode };
}

const WIDTH = 900;
const WIDEST_BAR = WIDTH / 10;
const HEIGHT = 200;

export function Chart(props: ChartProps) {
  const { name, points, label, series, unit, kind } = props;
  const texts = useShared();
  const [asTable, setAsTable] = useState(false);
  const [at, setAt] = useState<number>();
  const totals = points.map((_, index) =>
    kind === 'bars'
      ? series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
      : Math.max(0, ...series.map(({ values }) => values[index] ?? 0)),
  );
  const top = roundTop(Math.max(props.reference?.value ?? 0, ...totals));
  const step = WIDTH / Math.max(1, points.length);
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  if (props.loading === true) return <Skeleton shape="chart" />;
  return (
    <figure className="stack gap-m">
      <div className="chart">
        <div className="axis-y" aria-hidden="true">
          {[1, 2 / 3, 1 / 3, 0].map((share) => (
            <span key={share}>{props.show(top * share)}</span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the pointer only shows a number that the table has too. */}
        <div
          className="plot"
          onMouseLeave={() => setAt(undefined)}
          onMouseMove={(event) => setAt(pointUnder(event.currentTarget, event.clientX, points.length))}
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={name}>
            {[0, 1, 2, 3].map((line) => (
              <line key={line} className="grid" x1="0" x2={WIDTH} y1={(HEIGHT * line) / 3} y2={(HEIGHT * line) / 3} />
            ))}
            {kind === 'bars' ? <Bars {...props} step={step} y={y} /> : <Lines {...props} step={step} y={y} />}
            {props.reference !== undefined && (
              <line className="ref" x1="0" x2={WIDTH} y1={y(props.reference.value)} y2={y(props.reference.value)} />
            )}
            {at !== undefined && <rect className="under-pointer" x={at * step} y="0" width={step} height={HEIGHT} />}
          </svg>
          {props.reference !== undefined && (
            <span className="ref-tag" style={{ insetBlockStart: `${(y(props.reference.value) / HEIGHT) * 100}%` }}>
              {props.reference.name}
            </span>
          )}
          {at !== undefined && <Tip {...props} at={at} />}
        </div>
        <div className="axis-x" aria-hidden="true">
          {axisLabels(points).map(({ point, index }) => (
            <span key={index}>{label(point)}</span>
          ))}
        </div>
      </div>
      <div className="row between">
        <div className="legend">
          {series.length > 1 &&
            series.map(({ id, name: of }, index) => (
              <span key={id}>
                <span
                  className="swatch"
                  style={vars({ '--c': `var(--accent${index === 0 ? '' : `-${index + 1}`})` })}
                />
                {of}
              </span>
            ))}
        </div>
        <span className="row">
          <button type="button" className="link xs" aria-expanded={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? texts.hideTable : texts.table}
          </button>
          <button type="button" className="link xs" onClick={() => chartCsv(props)}>
            <span dir="ltr">{texts.csv}</span>
          </button>
        </span>
      </div>
      {asTable && <ChartTable {...props} unit={unit} />}
    </figure>
  );
}

function Bars({ points, series, step, y, lastIsOpen }: ChartProps & { step: number; y(value: number): number }) {
  const gap = Math.min(8, step * 0.25);
  // A few days are a few bars, not a wall: the first stands where the axis begins and the last where it ends, as their labels do.
  const width = Math.max(1, Math.min(step - gap, WIDEST_BAR));
  const room = step - gap - width;
  return points.map((point, index) => {
    const aside = points.length < 2 ? 0 : (room * index) / (points.length - 1);
    let base = 0;
    return series.map(({ id, values }, layer) => {
      const value = values[index] ?? 0;
      if (value === 0) return null;
      const from = base;
      base += value;
      const height = Math.max(1, y(from) - y(base) - (layer < series.length - 1 ? 1 : 0));
      const open = lastIsOpen === true && index === points.length - 1;
      return (
        <rect
          key={`${point}${id}`}
          className={open ? 'f-open' : `f${layer + 1}`}
          x={index * step + gap / 2 + aside}
          y={y(base)}
          width={width}
          height={height}
        />
      );
    });
  });
}

function Lines({ points, series, step, y }: ChartProps & { step: number; y(value: number): number }) {
  return series.map(({ id, values }, index) => {
    let pen = false;
    const path = points
      .map((_, at) => {
        const value = values[at];
        if (value === null || value === undefined) {
          pen = false;
          return '';
        }
        const command = `${pen ? 'L' : 'M'}${(at + 0.5) * step} ${y(value)}`;
        const alone = !pen && (values[at + 1] ?? null) === null;
        pen = true;
        return alone ? `${command}h0.01` : command;
      })
      .join('');
    return <path key={id} className={index === 0 ? 'ln' : index === 1 ? 'ln second' : 'ln third'} d={path} />;
  });
}

function Tip({ points, label, series, unit, show, showExact, at }: ChartProps & { at: number }) {
  const point = points[at];
  if (point === undefined) return null;
  const after = at > points.length / 2;
  const place = after
    ? { insetInlineEnd: `${((points.length - at) / points.length) * 100}%` }
    : { insetInlineStart: `${((at + 1) / points.length) * 100}%` };
  return (
    <div className="tip" style={place}>
      <strong>{label(point)}</strong>
      {series.map(({ id, name, values, exact }, index) => (
        <span key={id} className="row between keep">
          <span className="row keep">
            <span className="swatch" style={vars({ '--c': `var(--accent${index === 0 ? '' : `-${index + 1}`})` })} />
            {name}
          </span>
          <span>{written(values[at], exact?.[at], show, showExact)}</span>
        </span>
      ))}
      <span className="unit">{unit}</span>
    </div>
  );
}

function ChartTable({ points, label, series, unit, show, showExact }: ChartProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div className="scroll-x chart-table" tabIndex={0}>
      <table className="table dense">
        <thead>
          <tr>
            <th scope="col"> </th>
            {series.map(({ id, name }) => (
              <th key={id} scope="col" className="number">
                {name} <span className="unit">{unit}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map((point, index) => (
            <tr key={point}>
              <th scope="row">{label(point)}</th>
              {series.map(({ id, values, exact }) => (
                <td key={id} className="number">
                  {written(values[index], exact?.[index], show, showExact)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function written(
  value: number | null | undefined,
  exact: string | null | undefined,
  show: (value: number) => string,
  showExact: ((value: string) => string) | undefined,
): string {
  if (exact !== undefined && exact !== null && showExact !== undefined) return showExact(exact);
  return value === null || value === undefined ? '—' : show(value);
}

function chartCsv({ fileName, points, series, unit }: ChartProps): void {
  const head = ['time', ...series.map(({ id }) => `${id} (${unit})`)];
  const rows = points.map((point, index) => [
    point,
    ...series.map(({ values, exact }) => exact?.[index] ?? values[index] ?? null),
  ]);
  downloadCsv(`${fileName}.csv`, head, rows);
}

/** Which point the pointer is over; the first stands where reading begins. */
function pointUnder(plot: HTMLElement, clientX: number, count: number): number | undefined {
  const box = plot.getBoundingClientRect();
  const rtl = document.documentElement.dir === 'rtl';
  const share = rtl ? (box.right - clientX) / box.width : (clientX - box.left) / box.width;
  const index = Math.floor(share * count);
  return index < 0 || index >= count ? undefined : index;
}

/** At most five labels, the first and the last among them. */
function axisLabels(points: readonly string[]): { point: string; index: number }[] {
  const count = Math.min(points.length, 5);
  return Array.from({ length: count }, (_, place) => {
    const index = count === 1 ? 0 : Math.round((place * (points.length - 1)) / (count - 1));
    return { point: points[index] ?? '', index };
  });
}

/** A round number above the highest, divisible by three, for the three steps of the grid. */
function roundTop(highest: number): number {
  if (highest <= 0) return 3;
  const size = 10 ** Math.floor(Math.log10(highest));
  const steps = [1, 1.5, 3, 6, 7.5, 9, 12];
  return size * (steps.find((step) => step * size >= highest) ?? 15);
}
