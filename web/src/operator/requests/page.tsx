/** The log of all accounts, with suppliers, causes and what was paid for it. */

import type { listRequests } from '@dargah/api/admin/requests.ts';
import { useLocation, useSearch } from 'wouter';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id, ModelName } from '../../parts/copyable.tsx';
import { AmountCell } from '../../parts/figures.tsx';
import { Filter, FilterNumber, FilterText } from '../../parts/filter.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useRequestTexts } from '../../texts/request-texts.ts';
import { useShared } from '../../texts/shared.ts';
import { AccountLink, NamesContext } from '../account-link.tsx';
import { AccountFilter } from '../lists/account-filter.tsx';
import { ListBar } from '../lists/list-bar.tsx';
import { ListFoot, namesIn } from '../lists/list-foot.tsx';
import { useListPeriod } from '../lists/period.ts';
import { PERIOD_NAMES, PeriodFilter } from '../lists/period-filter.tsx';
import { present } from '../lists/present.ts';
import { useListTexts } from '../lists/texts.ts';
import { useTexts } from '../texts.ts';
import { OperatorReceiptDrawer } from './receipt.tsx';
import { useOperatorState } from './state.ts';
import { useLogTexts } from './texts.ts';

const FILTERS = [
  ...PERIOD_NAMES,
  'state',
  'account',
  'model',
  'provider',
  'key',
  'error',
  'endpoint',
  'user',
  'cost',
  'slower',
  'q',
  'sort',
];
type State = 'running' | 'completed' | 'interrupted' | 'client_closed' | 'failed' | 'refused';

export default function OperatorRequests({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const format = useFormat();
  const shared = useShared();
  const lists = useListTexts();
  const names = useRequestTexts();
  const stateOf = useOperatorState();
  const address = useAddress();
  const search = useSearch();
  const [, navigate] = useLocation();
  const query = useRequestQuery();
  const log = useLogTexts();
  const list = usePages<typeof listRequests>('GET /api/admin/requests', { query });
  const listNames = namesIn(list.pages);
  const open = (id?: string) =>
    navigate(`/operator/requests${id === undefined ? '' : `/${id}`}${search === '' ? '' : `?${search}`}`);
  return (
    <>
      <PageHead title={texts.nav.requests} />
      <ListBar list="requests" names={FILTERS} query={query}>
        <PeriodFilter usual="24h" />
        <Filter
          name="state"
          label={texts.state}
          options={Object.entries({ ...names.states, client_closed: log.clientClosed })}
        />
        <AccountFilter known={listNames[address.get('account') ?? '']} />
        <FilterText name="model" label={texts.model} />
        <FilterText name="provider" label={texts.provider} />
        <FilterText name="key" label={log.keyId} />
        <FilterText name="error" label={log.error} />
        <FilterText name="endpoint" label={log.endpoint} />
        <FilterText name="user" label={log.user} />
        <FilterNumber name="cost" label={log.costOver} unit={shared.toman} />
        <FilterNumber name="slower" label={log.slowerThan} unit={shared.seconds} />
        <FilterText name="q" label={log.requestId} />
        <Filter name="sort" label={lists.sort} options={Object.entries(log.sorts)} unset={log.newest} />
      </ListBar>
      <NamesContext value={listNames}>
        <section className="panel" aria-label={texts.nav.requests}>
          {list.error !== null && list.rows === undefined ? (
            <Trouble error={list.error} again={() => void list.refetch()} />
          ) : (
            <Table
              label={texts.nav.requests}
              dense
              rows={list.rows}
              idOf={({ id }) => id}
              selected={params.id}
              onOpen={({ id }) => open(id)}
              empty={<Empty title={texts.noRequests} text={texts.noRequestsText} />}
              foot={<ListFoot list={list} />}
              columns={[
                {
                  id: 'at',
                  head: texts.time,
                  fold: 'c3',
                  className: 'mid nowrap tnum',
                  cell: ({ created_at: at, account_id: id }) => (
                    <>
                      <LogTime at={at} />
                      <span className="only-s">
                        &nbsp;·&nbsp;
                        <AccountLink id={id} />
                      </span>
                    </>
                  ),
                },
                {
                  id: 'state',
                  head: texts.state,
                  fold: 'c4',
                  cell: (row) => {
                    const { tone, word } = stateOf(row);
                    return <Pill tone={tone}>{word}</Pill>;
                  },
                },
                { id: 'model', head: texts.model, fold: 'c1', cell: ({ model: id }) => <ModelName id={id} /> },
                {
                  id: 'account',
                  head: texts.account,
                  spare: true,
                  className: 'narrow-id',
                  cell: ({ account_id: id }) => <AccountLink id={id} />,
                },
                {
                  id: 'provider',
                  head: texts.provider,
                  spare: true,
                  cell: ({ provider }) => provider !== null && <Id value={provider} />,
                },
                {
                  id: 'cost',
                  head: texts.providerCost,
                  number: true,
                  spare: true,
                  cell: ({ provider_cost: cost }) => (cost === null ? '—' : <AmountCell value={cost} />),
                },
                {
                  id: 'price',
                  head: texts.price,
                  number: true,
                  fold: 'c2',
                  cell: ({ cost }) => <AmountCell value={cost} />,
                },
              ]}
            />
          )}
        </section>
      </NamesContext>
      {params.id !== undefined && <OperatorReceiptDrawer id={params.id} onClose={() => open()} />}
      <span className="vh">{format.number(list.rows?.length ?? 0)}</span>
    </>
  );
}

/** The query in the address: people type seconds, the server is asked in milliseconds. */
function useRequestQuery() {
  const address = useAddress();
  const period = useListPeriod('24h');
  const given = (name: string) => address.get(name);
  const slower = Number(given('slower'));
  const texts = {
    state: given('state') as State | undefined,
    account_id: given('account'),
    model: given('model'),
    provider: given('provider'),
    key_id: given('key'),
    error_code: given('error'),
    endpoint: given('endpoint'),
    user: given('user'),
    cost_over: given('cost'),
    q: given('q'),
    sort: given('sort') as 'dearest' | 'slowest' | undefined,
    slower_than_ms: slower > 0 ? Math.round(slower * 1000) : undefined,
  };
  return { limit: 50, ...period, ...present(texts) };
}

/** Seconds for the last hours, the date for other days. */
function LogTime({ at }: { at: string }) {
  const format = useFormat();
  const isNear = Date.now() - new Date(at).getTime() < 20 * 3_600_000;
  return (
    <time dateTime={at} title={`${format.dateTime(at)} · ${format.elsewhere(at)}`}>
      {isNear ? format.clock(at) : `${format.monthDay(at)} ${format.clock(at).slice(0, 5)}`}
    </time>
  );
}
