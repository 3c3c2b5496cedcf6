/** What a provider offers: its models with list price, cost and price, chosen into a draft. Nothing is sold by looking. */

import type { draftChange, getOffer } from '@dargah/api/admin/offers.ts';
import { MODEL_KINDS, type ModelKind, usualPrices } from '@dargah/core/model-kinds.ts';
import { VENDOR_NAMES } from '@dargah/core/vendor-names.ts';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { ModelName } from '../../parts/copyable.tsx';
import { FilterText } from '../../parts/filter.tsx';
import { NumberInput, SelectField } from '../../parts/form.tsx';
import { Empty, Note, PageHead } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Segments } from '../../parts/segments.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { fieldsOf } from '../models/money-fields.ts';
import { SellingNote } from '../models/selling.tsx';
import { useTexts } from '../texts.ts';
import { useOfferTexts } from './offer-texts.ts';
import { BothUnits, unitOfInput } from './unit-price.tsx';

type Row = Result<typeof getOffer>['data'][number];
type Kind = 'all' | ModelKind;
type Place = 'first' | 'last' | 'share';
const TONES: Record<string, Tone> = { new: 'info', adds_route: 'held', routed: 'ok', unlisted: 'warn' };

type Said = Record<string, Record<string, string | null>>;

export default function OfferPage({ params }: { params: { id: string } }) {
  const texts = useOfferTexts();
  const format = useFormat();
  const read = useRead<typeof getOffer>('GET /api/admin/providers/:id/offer', { params: { id: params.id } });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const offer = read.data;
  return (
    <>
      <PageHead title={texts.title(params.id)} lead={texts.lead} />
      <div className="stack">
        <SellingNote />
        {offer?.problem != null && <Note tone="warn">{texts.problem(offer.problem)}</Note>}
        {offer?.elsewhere.map((one) => (
          <Elsewhere key={one.vendor} {...one} />
        ))}
        {offer !== undefined && (
          <p className="xs mid">
            {texts.terms(format.money(offer.exchange_rate), format.percent(Number(offer.margin), 2))}
          </p>
        )}
        <Choice provider={params.id} rows={offer?.data} />
      </div>
    </>
  );
}

/** One key, two protocols: models offered under the other protocol are named here, so that nobody misses them. */
function Elsewhere({ vendor, models, provider }: Result<typeof getOffer>['elsewhere'][number]) {
  const texts = useOfferTexts();
  const format = useFormat();
  const name = VENDOR_NAMES.find(([id]) => id === vendor)?.[1][format.language] ?? vendor;
  const href = provider === null ? '/operator/providers' : `/operator/providers/${encodeURIComponent(provider)}/offer`;
  return (
    <Note tone="info">
      {texts.elsewhere(format.number(models), name)}{' '}
      <Link href={href}>{provider === null ? texts.addElsewhere(name) : texts.seeElsewhere(provider)}</Link>
    </Note>
  );
}

function Choice({ provider, rows }: { provider: string; rows: readonly Row[] | undefined }) {
  const texts = useOfferTexts();
  const general = useTexts();
  const [kind, setKind] = useState<Kind>('all');
  const q = (useAddress().get('q') ?? '').trim().toLowerCase();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState<Said>({});
  const shown = rows?.filter(
    (row) =>
      (kind === 'all' || row.kind === kind) && `${row.model} ${row.name} ${row.upstream}`.toLowerCase().includes(q),
  );
  const set = (keys: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const key of keys)
      if (on) next.add(key);
      else next.delete(key);
    setChosen(next);
  };
  const kinds = MODEL_KINDS.filter((one) => rows?.some((row) => row.kind === one));
  const free = (shown ?? [])
    .filter(({ state }) => state === 'new' || state === 'adds_route')
    .map(({ upstream }) => upstream);
  return (
    <section className="panel" aria-label={texts.title(provider)}>
      <div className="head">
        <Segments<Kind>
          label={general.kind}
          value={kind}
          options={[['all', texts.all] as const, ...kinds.map((one) => [one, texts.kindOf(one)] as const)]}
          onChange={setKind}
        />
        <div className="end row">
          <button type="button" className="btn small" onClick={() => set(free, true)}>
            {texts.chooseShown}
          </button>
          <button type="button" className="btn small" onClick={() => setChosen(new Set())}>
            {texts.chooseNone}
          </button>
        </div>
      </div>
      <div className="pad no-top">
        <FilterText name="q" label={general.search} />
      </div>
      <Table
        label={texts.title(provider)}
        rows={shown}
        idOf={({ upstream }) => upstream}
        empty={<Empty title={texts.none} text={texts.noneText} />}
        columns={useColumns(chosen, set, said, (key, field, value) =>
          setSaid((before) => ({ ...before, [key]: { ...before[key], [field]: value } })),
        )}
      />
      <Commit provider={provider} rows={(rows ?? []).filter(({ upstream }) => chosen.has(upstream))} said={said} />
    </section>
  );
}

function useColumns(
  chosen: ReadonlySet<string>,
  set: (keys: readonly string[], on: boolean) => void,
  said: Said,
  say: (key: string, field: string, value: string | null) => void,
): Column<Row>[] {
  const texts = useOfferTexts();
  const format = useFormat();
  return [
    {
      id: 'model',
      head: texts.model,
      fold: 'c1',
      cell: (row) => (
        <span className="row keep">
          <input
            type="checkbox"
            className="check"
            aria-label={texts.choose(row.model)}
            disabled={row.state === 'routed'}
            checked={chosen.has(row.upstream)}
            onChange={({ target }) => set([row.upstream], target.checked)}
          />
          <span className="grow">
            <ModelName id={row.model} />
            {row.context !== null && <span className="sub">{texts.tokens(format.number(row.context))}</span>}
            {row.listed_there === false && row.state !== 'unlisted' && <span className="sub">{texts.notThere}</span>}
          </span>
        </span>
      ),
    },
    {
      id: 'state',
      head: texts.state,
      fold: 'c3',
      cell: ({ state }) => <Pill tone={TONES[state] ?? 'info'}>{labelOf(texts.states, state) ?? state}</Pill>,
    },
    {
      id: 'list',
      head: texts.list,
      number: true,
      cell: (row) => row.list_usd && <BothUnits price={row.list_usd} short />,
    },
    {
      id: 'cost',
      head: texts.cost,
      number: true,
      cell: (row) =>
        row.cost === null ? <span className="dim">{texts.unknownCost}</span> : <BothUnits price={row.cost} short />,
    },
    {
      id: 'price',
      head: texts.price,
      number: true,
      fold: 'c2',
      cell: (row) =>
        row.price !== null ? (
          <BothUnits price={row.price} />
        ) : chosen.has(row.upstream) ? (
          <SaidPrice
            row={row}
            said={said[row.upstream] ?? {}}
            onSay={(field, value) => say(row.upstream, field, value)}
          />
        ) : null,
    },
    {
      id: 'margin',
      head: texts.margin,
      number: true,
      fold: 'c4',
      cell: (row) => {
        const share = marginOf(row);
        return share === undefined ? null : <span className={share < 0 ? 'bad' : ''}>{format.percent(share, 1)}</span>;
      },
    },
  ];
}

function SaidPrice({
  row,
  said,
  onSay,
}: {
  row: Row;
  said: Record<string, string | null>;
  onSay(field: string, value: string | null): void;
}) {
  const { units } = useOfferTexts();
  return (
    <span className="stack gap-s">
      {usualPrices(row.kind).map((field) => (
        <NumberInput
          key={field}
          aria-label={`${row.model}: ${labelOf(units, field) ?? field}`}
          name={field}
          value={said[field] ?? null}
          placeholder={labelOf(units, field) ?? field}
          onChange={(value) => onSay(field, value)}
        />
      ))}
    </span>
  );
}

/** The share of the price, by its first unit; undefined where either is unknown. */
function marginOf({ price, cost }: Row): number | undefined {
  if (price === null || cost === null) return undefined;
  const [sold, paid] = [fieldsOf(price), fieldsOf(cost)];
  const unit = unitOfInput(sold);
  const [a, b] = [Number(sold[unit ?? ''] ?? 0), Number(paid[unit ?? ''] ?? 0)];
  return unit === undefined || a <= 0 ? undefined : 1 - b / a;
}

/** The price that somebody entered, when it is complete. */
function saidPrice(row: Row, said: Said): Record<string, string> | undefined {
  const given = said[row.upstream] ?? {};
  const fields = usualPrices(row.kind);
  const entries = fields.flatMap((field) => {
    const value = given[field];
    return value == null || Number(value) <= 0 ? [] : [[field, value] as const];
  });
  return entries.length === fields.length ? Object.fromEntries(entries) : undefined;
}

function Commit({ provider, rows, said }: { provider: string; rows: readonly Row[]; said: Said }) {
  const texts = useOfferTexts();
  const format = useFormat();
  const [, navigate] = useLocation();
  const [place, setPlace] = useState<Place>('last');
  const make = useChange<typeof draftChange>('POST /api/admin/catalog/changes', {
    stale: ['GET /api/admin/catalog/changes'],
    done: ({ id }) => navigate(`/operator/changes/${id}`),
  });
  const missing = rows.filter((row) => row.price === null && saidPrice(row, said) === undefined).length;
  const edits = rows.map((row) => {
    const price = row.price === null ? saidPrice(row, said) : undefined;
    return {
      op: 'offer' as const,
      model: row.model,
      provider,
      upstream: row.upstream,
      place,
      ...(price === undefined ? {} : { price, kind: row.kind as 'chat', name: row.name }),
    };
  });
  return (
    <div className="pad stack gap-m">
      <SelectField
        label={texts.place}
        value={place}
        onChange={(next) => setPlace(next as Place)}
        options={(['last', 'first', 'share'] as const).map((one) => [one, texts.places[one]] as const)}
      />
      <div className="row between">
        <span className="mid">
          {texts.chosen(format.number(rows.length))} {missing > 0 && texts.withoutPrice(format.number(missing))}
        </span>
        <button
          type="button"
          className="btn main"
          disabled={rows.length === 0 || missing > 0 || make.isPending}
          onClick={() => make.mutate({ body: { edits } })}
        >
          {texts.makeDraft}
        </button>
      </div>
    </div>
  );
}
