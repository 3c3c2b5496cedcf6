/** The log of all accounts, with suppliers, causes and what was paid for it. */
import { useLocation, useSearch } from 'wouter';
import type { listRequests } from '../../../../server/src/http/admin/routes/requests.ts';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id, ModelName } from '../../parts/copyable.tsx';
import { AmountCell } from '../../parts/figures.tsx';
import { Filter, FilterText } from '../../parts/filter.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useRequestTexts } from '../../texts/request-texts.ts';
import { AccountLink } from '../account-link.tsx';
import { useTexts } from '../texts.ts';
import { OperatorReceiptDrawer } from './receipt.tsx';
import { useOperatorState } from './state.ts';
import { useLogTexts } from './texts.ts';

type State = 'running' | 'completed' | 'interrupted' | 'client_closed' | 'failed' | 'refused';

export default function OperatorRequests({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const format = useFormat();
  const names = useRequestTexts();
  const stateOf = useOperatorState();
  const { clientClosed } = useLogTexts();
  const address = useAddress();
  const search = useSearch();
  const [, navigate] = useLocation();
  const [state, account, model] = [address.get('state'), address.get('account'), address.get('model')];
  const query = {
    limit: 50,
    ...(state === undefined ? {} : { state: state as State }),
    ...(account === undefined ? {} : { account_id: account }),
    ...(model === undefined ? {} : { model }),
  };
  const list = usePages<typeof listRequests>('GET /api/admin/requests', { query });
  const open = (id?: string) =>
    navigate(`/operator/requests${id === undefined ? '' : `/${id}`}${search === '' ? '' : `?${search}`}`);
  return (
    <>
      <PageHead title={texts.nav.requests} />
      <div className="filters">
        <FilterText name="account" label={texts.account} />
        <FilterText name="model" label={texts.model} />
        <Filter
          name="state"
          label={texts.state}
          options={Object.entries({ ...names.states, client_closed: clientClosed })}
        />
      </div>
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
            foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
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
      {params.id !== undefined && <OperatorReceiptDrawer id={params.id} onClose={() => open()} />}
      <span className="vh">{format.number(list.rows?.length ?? 0)}</span>
    </>
  );
}

/** Of the last hours the second, of other days the day: two rows of a log never look alike because they are old. */
function LogTime({ at }: { at: string }) {
  const format = useFormat();
  const isNear = Date.now() - new Date(at).getTime() < 20 * 3_600_000;
  return (
    <time dateTime={at} title={`${format.dateTime(at)} · ${format.elsewhere(at)}`}>
      {isNear ? format.clock(at) : `${format.monthDay(at)} ${format.clock(at).slice(0, 5)}`}
    </time>
  );
}
