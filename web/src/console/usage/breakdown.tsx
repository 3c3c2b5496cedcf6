/** What caused the use: by model, key, maker of the key, endpoint, end user, state or error. */
import type { getUsageBreakdown } from '@dargah/api/console/usage.ts';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Id, ModelName } from '../../parts/copyable.tsx';
import { AmountCell, CountOf } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { vars } from '../../parts/meter.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { type Column, downloadCsv, Table } from '../../parts/table.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useRequestTexts } from '../../texts/request-texts.ts';
import { useShared } from '../../texts/shared.ts';
import { useMemberName } from './member-name.ts';
import type { UsageQuery } from './period.ts';
import { useTexts } from './texts.ts';

type Grouping = 'model' | 'key' | 'member' | 'endpoint' | 'user' | 'tag' | 'state' | 'error';
type Row = Result<typeof getUsageBreakdown>['data'][number];
type NameOf = (value: string, name: string | null) => string;

export function Breakdown({ query }: { query: UsageQuery }) {
  const texts = useTexts();
  const shared = useShared();
  const names = useRequestTexts();
  const address = useAddress();
  const by = (address.get('by') ?? 'model') as Grouping;
  const { interval: _interval, ...rest } = query;
  const read = useRead<typeof getUsageBreakdown>(
    'GET /api/console/usage/breakdown',
    { query: { ...rest, by, limit: 200 } },
    { keep: true },
  );
  const rows = read.data?.data;
  const most = Math.max(1e-9, ...(rows ?? []).map(({ cost }) => roughly(cost)));
  const memberName = useMemberName();
  const nameOf: NameOf = (value, name) =>
    (by === 'member' ? memberName(value, name) : name) ??
    (by === 'state'
      ? labelOf(names.states, value)
      : by === 'error'
        ? (labelOf(names.errors, value) ?? value)
        : by === 'endpoint'
          ? (labelOf(names.endpoints, value) ?? value)
          : value) ??
    value;
  const columns = useColumns(by, most, nameOf);
  return (
    <section className="panel" aria-label={texts.by}>
      <div className="head ruled choice">
        <h2>{texts.by}</h2>
        <Segments
          label={texts.by}
          value={by}
          onChange={(next) => address.set({ by: next })}
          options={(Object.keys(texts.groups) as Grouping[]).map((id) => [id, texts.groups[id]] as const)}
        />
        <div className="end">
          <button
            type="button"
            className="btn small"
            disabled={rows === undefined || rows.length === 0}
            onClick={() => saveCsv(by, rows ?? [], nameOf)}
          >
            <Icon name="save" />
            <span dir="ltr">{shared.csv}</span>
          </button>
        </div>
      </div>
      {by === 'member' && <p className="pad mid xs">{texts.memberHint}</p>}
      {by === 'tag' && <p className="pad mid xs">{texts.tagHint}</p>}
      <Table
        label={texts.by}
        dense
        rows={rows}
        idOf={({ value }) => value}
        onOpen={
          by === 'state' || by === 'error' ? undefined : ({ value }) => value !== '' && address.set({ [by]: value })
        }
        empty={<Empty title={texts.empty} text={texts.emptyText} />}
        columns={columns}
      />
    </section>
  );
}

function useColumns(by: Grouping, most: number, nameOf: NameOf): Column<Row>[] {
  const texts = useTexts();
  const format = useFormat();
  return [
    {
      id: 'name',
      head: texts.groups[by],
      fold: 'c1',
      cell: ({ value, name }) =>
        value === '' ? (
          <span className="dim">{texts.nameless}</span>
        ) : by === 'model' ? (
          <ModelName id={value} />
        ) : by === 'user' || by === 'tag' ? (
          <Id value={value} />
        ) : (
          <bdi>{nameOf(value, name)}</bdi>
        ),
    },
    {
      id: 'share',
      head: texts.share,
      cell: ({ cost }) => <span className="minibar" style={vars({ '--p': `${(roughly(cost) / most) * 100}%` })} />,
    },
    {
      id: 'requests',
      head: texts.requests,
      number: true,
      fold: 'c3',
      cell: ({ requests }) => <CountOf count={requests} of="request" />,
    },
    {
      id: 'errors',
      head: texts.errors,
      number: true,
      cell: ({ errors }) =>
        errors === 0 ? (
          <span className="dim">{format.number(0)}</span>
        ) : (
          <span className="bad">{format.number(errors)}</span>
        ),
    },
    {
      id: 'tokens',
      head: texts.tokens,
      number: true,
      cell: (row) => format.number(row.input_tokens + row.output_tokens),
    },
    {
      id: 'p50',
      head: texts.medianColumn,
      number: true,
      cell: ({ p50_ms: ms }) => (ms === null ? '—' : format.seconds(ms)),
    },
    { id: 'cost', head: texts.cost, number: true, fold: 'c2', cell: ({ cost }) => <AmountCell value={cost} /> },
  ];
}

function saveCsv(by: Grouping, rows: readonly Row[], nameOf: NameOf): void {
  downloadCsv(
    `usage-by-${by}.csv`,
    [by, 'requests', 'errors', 'input_tokens', 'cached_tokens', 'output_tokens', 'p50_ms', 'p95_ms', 'cost_toman'],
    rows.map((row) => [
      nameOf(row.value, row.name),
      row.requests,
      row.errors,
      row.input_tokens,
      row.cached_tokens,
      row.output_tokens,
      row.p50_ms,
      row.p95_ms,
      row.cost,
    ]),
  );
}
