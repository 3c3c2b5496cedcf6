/** The log: filters in the address, the newest rows arriving by themselves, the receipt in a drawer of its own address. */

import type { listKeys } from '@dargah/api/console/keys.ts';
import type { listRequests } from '@dargah/api/console/own-requests.ts';
import type { getUsageBreakdown } from '@dargah/api/console/usage.ts';
import { useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useAddress } from '../../address.ts';
import { type LiveRequest, useLive, useLiveRequests } from '../../api/live.tsx';
import { usePages, useRead } from '../../api/read.ts';
import { addDays, dayOf, startOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { Code } from '../../parts/copyable.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Filter, FilterDay, FilterNumber } from '../../parts/filter.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Live } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { usePreferences } from '../../preferences.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useTexts } from '../../texts/receipt-texts.ts';
import { useRequestTexts } from '../../texts/request-texts.ts';
import { useShared } from '../../texts/shared.ts';
import { useShownKeyName } from '../key-name.ts';
import { curlSample } from '../samples.ts';
import { useRequestColumns } from './columns.tsx';
import { ReceiptDrawer } from './receipt.tsx';

type State = 'running' | 'completed' | 'interrupted' | 'client_closed' | 'failed' | 'refused';
const DAYS: Record<string, number> = { today: 1, week: 7, month: 30 };
const FILTERS = ['period', 'from', 'to', 'state', 'key', 'model', 'error', 'user', 'tag', 'cost', 'slow'];

const CSV_HEAD = [
  'id',
  'created_at',
  'state',
  'error',
  'model',
  'key',
  'endpoint',
  'user',
  'tags',
  'input_tokens',
  'output_tokens',
  'duration_ms',
  'cost_toman',
];

export default function RequestsPage({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const shared = useShared();
  const states = useRequestTexts();
  const format = useFormat();
  const address = useAddress();
  const search = useSearch();
  const [, navigate] = useLocation();
  const { connected } = useLive();
  const [following, setFollowing] = useState(true);
  const keys = useRead<typeof listKeys>('GET /api/console/keys', { query: {} }).data?.data ?? [];
  const shownName = useShownKeyName();
  const keyName = (id: string) => {
    const key = keys.find((one) => one.id === id);
    return key === undefined ? id : shownName(key);
  };
  const query = useQueryOfAddress();
  const log = usePages<typeof listRequests>('GET /api/console/requests', { query: { ...query, limit: 50 } });
  const models = useRead<typeof getUsageBreakdown>('GET /api/console/usage/breakdown', { query: { by: 'model' } }).data;
  const errors = useRead<typeof getUsageBreakdown>('GET /api/console/usage/breakdown', { query: { by: 'error' } }).data;
  const tags = useRead<typeof getUsageBreakdown>('GET /api/console/usage/breakdown', { query: { by: 'tag' } }).data;
  const { shown, waiting, pointer } = useHeldRows(useLiveRequests(200, !following));
  const fresh = shown.filter((request) => fits(request, query));
  const held = waiting.filter((request) => fits(request, query)).length;
  const rows = useMemo(() => {
    if (log.rows === undefined) return undefined;
    const known = new Set(fresh.map(({ id }) => id));
    return [...fresh, ...log.rows.filter(({ id }) => !known.has(id))];
  }, [fresh, log.rows]);
  const back = log.lastPage?.searched_back_to ?? null;
  const columns = useRequestColumns(keyName);
  const filtered = FILTERS.some((name) => address.get(name) !== undefined);
  const open = (id: string | undefined) =>
    navigate(`/console/requests${id === undefined ? '' : `/${id}`}${search === '' ? '' : `?${search}`}`);
  const at = rows?.findIndex(({ id }) => id === params.id) ?? -1;
  return (
    <>
      <PageHead title={texts.title} lead={held === 0 ? texts.lead : texts.waiting(format.number(held))}>
        <button type="button" className="btn" aria-pressed={following} onClick={() => setFollowing(!following)}>
          {following && connected ? <Live>{texts.follow}</Live> : texts.follow}
        </button>
        <ExportCsv<typeof listRequests>
          address="GET /api/console/requests"
          input={{ query }}
          fileName="requests.csv"
          head={CSV_HEAD}
          line={(row) => [
            row.id,
            row.created_at,
            row.state,
            row.error?.code ?? '',
            row.model,
            keyName(row.key_id),
            row.endpoint,
            row.user ?? '',
            row.tags.join(' '),
            row.input_tokens,
            row.output_tokens,
            row.duration_ms,
            row.cost,
          ]}
        />
      </PageHead>
      <div className="filters">
        <Filter
          name="period"
          label={texts.period}
          options={Object.entries(texts.periods).filter(([id]) => id !== 'all')}
        />
        <FilterDay name="from" label={texts.fromDay} />
        <FilterDay name="to" label={texts.toDay} />
        <Filter name="state" label={texts.state} options={Object.entries(states.states)} />
        <Filter name="key" label={texts.key} options={keys.map((key) => [key.id, shownName(key)] as const)} />
        <Filter name="model" label={texts.model} options={namesOf(models?.data)} />
        <Filter
          name="error"
          label={texts.error}
          options={(errors?.data ?? [])
            .filter(({ value }) => value !== '')
            .map(({ value }) => [value, labelOf(states.errors, value) ?? value] as const)}
        />
        {(tags?.data ?? []).length > 0 && <Filter name="tag" label={texts.tags} options={namesOf(tags?.data)} />}
        <FilterNumber name="cost" label={texts.costOver} unit={shared.toman} />
        <FilterNumber name="slow" label={texts.slower} unit={shared.seconds} />
        {filtered && (
          <button
            type="button"
            className="btn plain small"
            onClick={() => address.set(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
          >
            {texts.clear}
          </button>
        )}
      </div>
      <section className="panel" aria-label={texts.title} {...pointer}>
        {back !== null && <ArchiveAway since={back} log={log} />}
        {log.error !== null && log.rows === undefined ? (
          <Trouble error={log.error} again={() => void log.refetch()} />
        ) : (
          <Table
            label={texts.title}
            dense
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            selected={params.id}
            onOpen={({ id }) => open(id)}
            skeleton={12}
            empty={<NoRequests since={back} filtered={filtered} />}
            foot={
              <>
                <span className="hs">{texts.walk(format.number(rows?.length ?? 0))}</span>
                <MoreButton more={log.more && back === null} busy={log.loadingMore} onMore={log.onMore} />
              </>
            }
          />
        )}
      </section>
      {params.id !== undefined && (
        <ReceiptDrawer
          id={params.id}
          keyName={keyName}
          onClose={() => open(undefined)}
          onNext={at >= 0 && rows?.[at + 1] !== undefined ? () => open(rows[at + 1]?.id) : undefined}
        />
      )}
    </>
  );
}

/** An empty list says why it is empty: the archive is away, the filters fit nothing, or nothing was asked yet. */
function NoRequests({ since, filtered }: { since: string | null; filtered: boolean }) {
  const texts = useTexts();
  if (since !== null) return <Empty title={texts.emptySince} text={texts.emptySinceText} />;
  if (filtered) return <Empty title={texts.emptyFiltered} text={texts.emptyFilteredText} />;
  return (
    <Empty title={texts.empty} text={texts.emptyText}>
      <Code text={curlSample('sandbox/hello')} />
    </Empty>
  );
}

/** Older requests are in the archive, which did not answer: it is asked again by hand. */
function ArchiveAway({ since, log }: { since: string; log: { loadingMore: boolean; onMore(): void } }) {
  const texts = useTexts();
  const shared = useShared();
  const format = useFormat();
  return (
    <div className="note is-warn" role="status">
      <Icon name="warn" />
      <div className="row between grow">
        <span>{texts.archiveAway(format.dateTime(since))}</span>
        <button type="button" className="btn small" disabled={log.loadingMore} onClick={log.onMore}>
          {shared.tryAgain}
        </button>
      </div>
    </div>
  );
}

/** A request that was refused before its model was read has none, so it cannot be filtered by it. */
function namesOf(groups: readonly { value: string }[] | undefined): [string, string][] {
  return (groups ?? []).flatMap(({ value }) => (value === '' ? [] : [[value, value]]));
}

function useQueryOfAddress() {
  const address = useAddress();
  const { timeZone } = usePreferences();
  const period = address.get('period');
  const [from, to] = [dayOf(address.get('from')), dayOf(address.get('to'))];
  return useMemo(() => {
    const days = DAYS[period ?? ''];
    const names = ['state', 'key', 'model', 'error', 'user', 'tag', 'cost', 'slow'];
    const [state, key, model, error, user, tag, cost, slow] = names.map((name) => address.get(name));
    return {
      ...(from !== undefined
        ? { from: startOf(from, timeZone).toISOString() }
        : days === undefined
          ? {}
          : { from: new Date(startOfMinute() - days * 86_400_000).toISOString() }),
      // Includes the whole of that day.
      ...(to === undefined ? {} : { to: startOf(addDays(to, 1), timeZone).toISOString() }),
      ...(state === undefined ? {} : { state: state as State }),
      ...(key === undefined ? {} : { key_id: key }),
      ...(model === undefined ? {} : { model }),
      ...(error === undefined ? {} : { error }),
      ...(user === undefined ? {} : { user }),
      ...(tag === undefined ? {} : { tag }),
      ...(cost === undefined ? {} : { cost_over: cost }),
      ...(slow === undefined ? {} : { slower_than_ms: Math.round(Number(slow) * 1000) }),
    };
  }, [address.get, period, from, to, timeZone]);
}

/** Rounded to a minute, so that the answer stays in the cache. */
function startOfMinute(): number {
  return Math.floor(Date.now() / 60_000) * 60_000;
}

function fits(
  request: {
    state: string;
    key_id: string;
    model: string;
    error: { code: string } | null;
    user: string | null;
    tags: readonly string[];
    cost: string;
    duration_ms: number;
  },
  query: ReturnType<typeof useQueryOfAddress>,
): boolean {
  return (
    query.to === undefined &&
    (query.state === undefined || request.state === query.state) &&
    (query.key_id === undefined || request.key_id === query.key_id) &&
    (query.model === undefined || request.model === query.model) &&
    (query.error === undefined || request.error?.code === query.error) &&
    (query.user === undefined || request.user === query.user) &&
    (query.tag === undefined || request.tags.includes(query.tag)) &&
    (query.cost_over === undefined || Number(request.cost) > Number(query.cost_over)) &&
    (query.slower_than_ms === undefined || request.duration_ms > query.slower_than_ms)
  );
}

/** New rows wait while the pointer is over the list, so that no row moves away under it. */
function useHeldRows(live: readonly LiveRequest[]) {
  const [held, setHeld] = useState<readonly LiveRequest[]>();
  const known = new Set(held?.map(({ id }) => id));
  return {
    shown: held ?? live,
    waiting: held === undefined ? [] : live.filter(({ id }) => !known.has(id)),
    pointer: { onPointerEnter: () => setHeld(live), onPointerLeave: () => setHeld(undefined) },
  };
}
