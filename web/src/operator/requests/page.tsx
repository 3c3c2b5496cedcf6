/** The log of all accounts, with suppliers, causes and what was paid for it. */
import { useLocation, useSearch } from 'wouter';
import type { getOperatorReceipt, listRequests } from '../../../../server/src/http/admin/routes/requests.ts';
import { useAddress } from '../../address.ts';
import { usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Filter, FilterText } from '../../parts/filter.tsx';
import { PassageList } from '../../parts/passage-list.tsx';
import { Amount, AmountCell, Code, Empty, Id, ModelName, Moment, PageHead, Pill } from '../../parts/small.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useRequestWords, useStateOf } from '../../words/request-words.ts';
import { useShared } from '../../words/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { useBookWords } from '../book-words.ts';
import { useWords } from '../words.ts';

type State = 'running' | 'completed' | 'interrupted' | 'client_closed' | 'failed' | 'refused';

export default function OperatorRequests({ params }: { params: { id?: string } }) {
  const words = useWords();
  const format = useFormat();
  const names = useRequestWords();
  const stateOf = useStateOf();
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
      <PageHead title={words.nav.requests} />
      <div className="filters">
        <FilterText name="account" label={words.account} />
        <FilterText name="model" label={words.model} />
        <Filter name="state" label={words.state} options={Object.entries(names.states)} />
      </div>
      <section className="panel" aria-label={words.nav.requests}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={words.nav.requests}
            dense
            rows={list.rows}
            idOf={({ id }) => id}
            selected={params.id}
            onOpen={({ id }) => open(id)}
            empty={<Empty title={words.noRequests} text={words.noRequestsText} />}
            foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
            columns={[
              {
                id: 'at',
                head: words.time,
                fold: 'c3',
                className: 'mid nowrap tnum',
                cell: ({ created_at: at }) => <Moment at={at} />,
              },
              {
                id: 'state',
                head: words.state,
                fold: 'c4',
                cell: (row) => {
                  const { tone, word } = stateOf(row);
                  return <Pill tone={tone}>{word}</Pill>;
                },
              },
              { id: 'model', head: words.model, fold: 'c1', cell: ({ model: id }) => <ModelName id={id} /> },
              {
                id: 'account',
                head: words.account,
                spare: true,
                className: 'narrow-id',
                cell: ({ account_id: id }) => <AccountLink id={id} />,
              },
              {
                id: 'provider',
                head: words.provider,
                spare: true,
                cell: ({ provider }) => provider !== null && <Id value={provider} />,
              },
              {
                id: 'cost',
                head: words.providerCost,
                number: true,
                spare: true,
                cell: ({ provider_cost: cost }) => (cost === null ? '—' : <AmountCell value={cost} />),
              },
              {
                id: 'price',
                head: words.price,
                number: true,
                fold: 'c2',
                cell: ({ cost }) => <AmountCell value={cost} />,
              },
            ]}
          />
        )}
      </section>
      {params.id !== undefined && <Receipt id={params.id} onClose={() => open()} />}
      <span className="vh">{format.number(list.rows?.length ?? 0)}</span>
    </>
  );
}

function Receipt({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWords();
  const { causes } = useBookWords();
  const shared = useShared();
  const format = useFormat();
  const read = useRead<typeof getOperatorReceipt>('GET /api/admin/requests/:id', { params: { id } });
  const receipt = read.data;
  return (
    <Drawer title={words.receipt} bar={<Id value={id} copy boxed />} onClose={onClose}>
      {read.error !== null && read.data === undefined ? (
        <Trouble error={read.error} />
      ) : (
        receipt !== undefined && (
          <>
            <section>
              <div className="hero">
                <Amount value={receipt.cost} unit />
              </div>
              <dl className="facts">
                <dt>{words.account}</dt>
                <dd>
                  <AccountLink id={receipt.account_id} />
                </dd>
                <dt>{words.provider}</dt>
                <dd>
                  <Id value={receipt.provider ?? '—'} />
                </dd>
                <dt>{words.providerCost}</dt>
                <dd>{receipt.provider_cost === null ? '—' : <Amount value={receipt.provider_cost} unit />}</dd>
                <dt>{words.plan}</dt>
                <dd>
                  {receipt.plan.map((route) => (
                    <div key={route} className="mono wraps xs" dir="ltr">
                      {route}
                    </div>
                  ))}
                </dd>
              </dl>
            </section>
            {receipt.attempts.map((attempt) => (
              <section key={attempt.started_at}>
                <h3>
                  <Id value={attempt.route} />
                  <span className="xs dim">
                    {format.seconds(attempt.duration_ms)} {shared.seconds}
                  </span>
                </h3>
                <p className="row">
                  <Pill tone={attempt.outcome === 'ok' ? 'ok' : 'bad'}>
                    {attempt.outcome === 'ok' ? words.ok : (wordOf(causes, attempt.outcome) ?? attempt.outcome)}
                  </Pill>
                  {attempt.status !== null && <Id value={String(attempt.status)} />}
                </p>
                {attempt.cause !== null && (
                  <p className="mid xs wraps" dir="auto">
                    {attempt.cause}
                  </p>
                )}
              </section>
            ))}
            {receipt.passages.length > 0 && (
              <section>
                <h3>{words.passages}</h3>
                <PassageList passages={receipt.passages} />
              </section>
            )}
            <section>
              <h3>{words.raw}</h3>
              <Code text={JSON.stringify(receipt, null, 2)} />
            </section>
          </>
        )
      )}
    </Drawer>
  );
}
