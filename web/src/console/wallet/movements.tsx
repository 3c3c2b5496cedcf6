/** What moved the wallet, by day and key, with what was left after each line. */

import type { listDayCharges, listMovements } from '@dargah/api/console/wallet.ts';
import { WALLET_KINDS, type WalletKind } from '@dargah/core/wallet-kinds.ts';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { usePages } from '../../api/read.ts';
import { noonOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { Id, ModelName } from '../../parts/copyable.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { AmountCell } from '../../parts/figures.tsx';
import { Filter, FilterDay } from '../../parts/filter.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { MoreButton } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useOwnAccount } from '../../session.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useTexts } from '../../texts/wallet-texts.ts';
import { useMovementTexts } from './movement-texts.ts';

type Movement = Result<typeof listMovements>['data'][number];
const GIFT = 'gift-code ';

function isKind(text: string | undefined): text is WalletKind {
  return WALLET_KINDS.some((kind) => kind === text);
}

export function Movements() {
  const texts = useTexts();
  const own = useMovementTexts();
  const address = useAddress();
  const kind = address.get('kind');
  const [from, to] = [address.get('from'), address.get('to')];
  const filter = {
    ...(isKind(kind) ? { kind } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
  const list = usePages<typeof listMovements>('GET /api/console/wallet/movements', { query: { ...filter, limit: 50 } });
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <section className="panel" aria-label={texts.tabs.transfers}>
      <div className="head ruled">
        <div className="row">
          <Filter
            name="kind"
            label={own.kind}
            options={WALLET_KINDS.map((one) => [one, labelOf(texts.kinds, one) ?? one] as const)}
          />
          <FilterDay name="from" label={own.from} />
          <FilterDay name="to" label={own.to} />
        </div>
        <div className="end">
          <ExportCsv<typeof listMovements>
            small
            address="GET /api/console/wallet/movements"
            input={{ query: filter }}
            fileName="transactions.csv"
            head={[
              'day',
              'created_at',
              'kind',
              'amount_toman',
              'balance_toman',
              'key',
              'key_id',
              'requests',
              'id',
              'note',
            ]}
            line={(row) => [
              row.day,
              row.created_at,
              row.kind,
              row.amount,
              row.balance,
              row.key?.name ?? null,
              row.key?.id ?? null,
              row.requests,
              row.id,
              row.note,
            ]}
          />
        </div>
      </div>
      {list.error !== null && list.rows === undefined ? (
        <Trouble error={list.error} again={() => void list.refetch()} />
      ) : list.rows === undefined ? (
        <Skeleton shape="rows" />
      ) : list.rows.length === 0 ? (
        <Empty title={isFiltered ? own.nothing : own.empty} text={isFiltered ? own.nothingText : own.emptyText} />
      ) : (
        <>
          <Lines rows={list.rows} />
          <div className="foot">
            <span className="xs dim grow">{own.lead}</span>
            <MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />
          </div>
        </>
      )}
    </section>
  );
}

function Lines({ rows }: { rows: readonly Movement[] }) {
  const texts = useTexts();
  const own = useMovementTexts();
  const format = useFormat();
  const [open, setOpen] = useState<string>();
  return (
    <div className="scroll-x">
      <table className="table dense fold movements" aria-label={texts.tabs.transfers}>
        <thead>
          <tr>
            <th scope="col">{own.kind}</th>
            <th scope="col" className="number">
              {own.amount}
            </th>
            <th scope="col" className="number">
              {own.balance}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <Fragment key={row.id}>
              {rows[at - 1]?.day !== row.day && (
                <tr className="day">
                  <th scope="rowgroup" colSpan={3}>
                    {format.weekday(noonOf(row.day).getTime())} {format.date(noonOf(row.day).getTime())}
                  </th>
                </tr>
              )}
              <Line row={row} isOpen={open === row.id} onToggle={() => setOpen(open === row.id ? undefined : row.id)} />
              {open === row.id && row.key !== null && (
                <tr className="under-line">
                  <td colSpan={3}>
                    <DayCharges day={row.day} keyId={row.key.id} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ row, isOpen, onToggle }: { row: Movement; isOpen: boolean; onToggle(): void }) {
  const texts = useTexts();
  const own = useMovementTexts();
  const format = useFormat();
  const { key, amount, balance, created_at: at } = row;
  return (
    <tr className={isOpen ? 'open' : undefined}>
      <td className="c1">
        {key === null ? (
          <>
            {row.note?.startsWith(GIFT) ? texts.gift : (labelOf(texts.kinds, row.kind) ?? <Id value={row.kind} />)}{' '}
            <span className="mid">{at !== null && format.clock(at).slice(0, 5)}</span> <Of row={row} />
          </>
        ) : (
          <button
            type="button"
            className="opener"
            aria-expanded={isOpen}
            title={isOpen ? own.close : own.open}
            onClick={onToggle}
          >
            <Icon name={isOpen ? 'down' : 'after'} flip={!isOpen} />
            <bdi>{key.name ?? own.noName}</bdi>{' '}
            <span className="mid nowrap">{own.requests(format.number(row.requests ?? 0))}</span>
          </button>
        )}
      </td>
      <td className="c2 number">
        <AmountCell value={amount} tone={amount.startsWith('-') ? '' : 'good'} />
      </td>
      <td className="c4 number mid balance">
        <span className="balance-name">{own.balance.split(/[,،]/)[0]} </span>
        <AmountCell value={balance} />
      </td>
    </tr>
  );
}

/** The link of a line: to its order, to its request, or the text that somebody wrote. */
function Of({ row }: { row: Movement }) {
  const own = useMovementTexts();
  if (row.order_id !== null) return <Link href={`/console/wallet/orders/${row.order_id}`}>{own.order}</Link>;
  if (row.request_id !== null)
    return (
      <Link href={`/console/requests/${row.request_id}`}>
        <Id value={row.request_id} />
      </Link>
    );
  if (row.note === null) return null;
  const note = row.note.startsWith(GIFT) ? row.note.slice(GIFT.length) : row.note;
  return note.includes(' ') ? <bdi className="mid">{note}</bdi> : <Id value={note} />;
}

function DayCharges({ day, keyId }: { day: string; keyId: string }) {
  const own = useMovementTexts();
  const format = useFormat();
  const mayRead = useOwnAccount()?.role !== 'billing';
  const list = usePages<typeof listDayCharges>('GET /api/console/wallet/charges', {
    query: { day, key_id: keyId, limit: 50 },
  });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  if (list.rows === undefined) return <Skeleton shape="rows" />;
  if (list.rows.length === 0) return <p className="mid pad">{own.gone}</p>;
  return (
    <>
      <ul className="charges">
        {list.rows.map(({ request_id: id, model, amount, created_at: at }) => (
          <li key={id}>
            <span className="mid">{format.clock(at)}</span>
            <ModelName id={model} />
            {mayRead ? (
              <Link href={`/console/requests/${id}`}>
                <Id value={id} />
              </Link>
            ) : (
              <Id value={id} />
            )}
            <AmountCell value={amount} />
          </li>
        ))}
      </ul>
      <MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />
    </>
  );
}
