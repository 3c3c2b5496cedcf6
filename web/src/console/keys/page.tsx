/** Keys: the list, and beneath it the chosen key with its rules as gates and the tester on the same line. */

import type { listKeys } from '@dargah/api/console/keys.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Check } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { vars } from '../../parts/meter.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMayWrite } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { useShownKeyName } from '../key-name.ts';
import { Budgets } from './budgets.tsx';
import { useDaily } from './daily.ts';
import type { Key } from './own-key.ts';
import { ProviderKeys } from './provider-keys.tsx';
import { KeyRules } from './rules.tsx';
import { NewKey } from './secret.tsx';
import { useTexts } from './texts.ts';

export default function KeysPage({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const format = useFormat();
  const [, navigate] = useLocation();
  const address = useAddress();
  const [withRevoked, setWithRevoked] = useState(false);
  const mayWrite = useMayWrite();
  const read = useRead<typeof listKeys>('GET /api/console/keys', { query: { limit: 200 } });
  const all = read.data?.data;
  const shown = all?.filter((key) => withRevoked || key.revoked_at === null || key.id === params.id);
  const active = all?.filter((key) => key.revoked_at === null && key.rules.paused !== true).length ?? 0;
  const chosen = all?.find(({ id }) => id === params.id);
  const columns = useColumns();
  return (
    <>
      <PageHead
        title={texts.title}
        lead={
          all === undefined || all.length === 0
            ? undefined
            : texts.lead(format.number(all.filter((key) => key.revoked_at === null).length), format.number(active))
        }
      >
        {mayWrite && (
          <button type="button" className="btn main" onClick={() => address.set({ new: '1' })}>
            <Icon name="plus" />
            {texts.create}
          </button>
        )}
      </PageHead>
      <div className="stack">
        <section className="panel" aria-label={texts.title}>
          {read.error !== null && read.data === undefined ? (
            <Trouble error={read.error} again={() => void read.refetch()} />
          ) : (
            <Table
              label={texts.title}
              columns={columns}
              rows={shown}
              idOf={({ id }) => id}
              selected={params.id}
              onOpen={({ id }) => navigate(`/console/keys/${id}`)}
              empty={
                <Empty title={texts.empty} text={texts.emptyText}>
                  {mayWrite && (
                    <button type="button" className="btn" onClick={() => address.set({ new: '1' })}>
                      {texts.create}
                    </button>
                  )}
                </Empty>
              }
              foot={
                all?.some((key) => key.revoked_at !== null) === true ? (
                  <Check checked={withRevoked} onChange={setWithRevoked}>
                    {texts.showRevoked}
                  </Check>
                ) : undefined
              }
            />
          )}
        </section>
        {chosen === undefined && all !== undefined && all.length > 0 && <Budgets keys={all} />}
        {chosen === undefined && <ProviderKeys />}
        {chosen !== undefined && <KeyRules key={chosen.id + chosen.updated_at} value={chosen} mayWrite={mayWrite} />}
      </div>
      {mayWrite && address.get('new') !== undefined && <NewKey onClose={() => address.set({ new: undefined })} />}
    </>
  );
}

function useColumns(): Column<Key>[] {
  const texts = useTexts();
  const shared = useShared();
  const format = useFormat();
  const shownName = useShownKeyName();
  return [
    {
      id: 'name',
      head: texts.name,
      fold: 'c1',
      cell: (key) => (
        <>
          <bdi className="strong">{shownName(key)}</bdi>
          <span className="sub">
            {key.playground ? texts.playground : <Id value={`${key.prefix.slice(0, 3)}…${key.last4}`} />}
          </span>
        </>
      ),
    },
    {
      id: 'maker',
      head: texts.madeBy,
      className: 'mid',
      cell: ({ created_by: maker }) =>
        maker === null ? shared.none : <bdi>{maker.name ?? texts.makers[maker.kind]}</bdi>,
    },
    { id: 'state', head: texts.state, fold: 'c4', cell: (key) => <KeyState value={key} /> },
    {
      id: 'last_used_at',
      head: texts.lastUsed,
      fold: 'c3',
      className: 'mid',
      cell: (key) => (key.last_used_at === null ? texts.never : <Moment at={key.last_used_at} />),
    },
    { id: 'spent', head: texts.spentToday, number: true, fold: 'c2', cell: (key) => <SpentToday id={key.id} /> },
    { id: 'cap', head: texts.ofDaily, cell: (key) => <DailyBar id={key.id} /> },
    {
      id: 'expires',
      head: texts.expires,
      className: 'mid',
      cell: ({ rules }) => (rules.expires_at == null ? shared.none : format.date(rules.expires_at)),
    },
  ];
}

function KeyState({ value }: { value: Key }) {
  const texts = useTexts();
  const daily = useDaily(value.id);
  const share =
    daily === undefined || daily.limit === null ? 0 : roughly(daily.spent) / Math.max(1e-6, roughly(daily.limit));
  const [tone, word] = stateOf(value, share, texts);
  return <Pill tone={tone}>{word}</Pill>;
}

function stateOf(key: Key, share: number, texts: ReturnType<typeof useTexts>): [Tone, string] {
  if (key.revoked_at !== null) return ['off', texts.revoked];
  if (key.rules.paused === true) return ['off', texts.paused];
  if (key.rules.expires_at != null && new Date(key.rules.expires_at).getTime() < Date.now())
    return ['warn', texts.expired];
  if (share >= 1) return ['bad', texts.atCap];
  if (share >= 0.8) return ['warn', texts.nearCap];
  return ['ok', texts.active];
}

function SpentToday({ id }: { id: string }) {
  const daily = useDaily(id);
  return daily === undefined ? <span className="skel w0" /> : <AmountCell value={daily.spent} />;
}

function DailyBar({ id }: { id: string }) {
  const shared = useShared();
  const format = useFormat();
  const daily = useDaily(id);
  if (daily === undefined) return null;
  if (daily.limit === null) return <span className="xs dim">{shared.unlimited}</span>;
  const share = Math.min(1, roughly(daily.spent) / Math.max(1e-6, roughly(daily.limit)));
  const colour = share >= 1 ? 'var(--bad)' : share >= 0.8 ? 'var(--warn)' : 'var(--accent)';
  return (
    <span className="row keep">
      <span className="minibar" style={vars({ '--p': `${share * 100}%`, '--c': colour })} />
      <span className="xs dim">
        {format.percent(share)} {format.language === 'fa' ? 'از' : 'of'} {format.money(daily.limit)}
      </span>
    </span>
  );
}
