/** Models and prices: the rate and the margins with a preview, prices one by one as new versions, and what is announced. */

import type { changeModel, createModel, listManagedModels, setPrice } from '@dargah/api/admin/models.ts';
import type { refreshCatalog } from '@dargah/api/admin/service.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { ModelName } from '../../parts/copyable.tsx';
import { usePriceName } from '../../parts/declared.ts';
import { AmountCell } from '../../parts/figures.tsx';
import { FilterText } from '../../parts/filter.tsx';
import { Toggle } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { useStaffMay } from '../may.ts';
import { useOfferTexts } from '../providers/offer-texts.ts';
import { InputPrice, unitOfInput } from '../providers/unit-price.tsx';
import { useSayTurned } from '../say-turned.ts';
import { useTexts } from '../texts.ts';
import { Bulk } from './bulk.tsx';
import { useBulkTexts } from './bulk-texts.ts';
import { CostTasks } from './cost-tasks.tsx';
import { fieldsOf, partsOf, STALE } from './money-fields.ts';
import { NewModel } from './new-model.tsx';
import { PriceDialog } from './price-dialog.tsx';
import { PriceLists } from './price-lists.tsx';
import { Pricing } from './pricing.tsx';
import { RateSource } from './rate-source.tsx';
import { useRouteTexts } from './route-texts.ts';
import { RoutesDrawer } from './routes.tsx';
import { SellingNote } from './selling.tsx';
import { useModelTexts } from './texts.ts';

type Model = Result<typeof listManagedModels>['data'][number];

export default function ModelsPage() {
  const common = useTexts();
  const texts = useModelTexts();
  const offerWords = useOfferTexts();
  const [making, setMaking] = useState(false);
  const mayMake = useStaffMay<typeof createModel>(['owner']);
  const mayRefresh = useStaffMay<typeof refreshCatalog>(['owner', 'finance']);
  const read = useRead<typeof listManagedModels>('GET /api/admin/models', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead
        title={common.nav.models}
        lead={read.data === undefined ? undefined : <Counts models={read.data.data} />}
      >
        <Link className="btn" href="/operator/changes">
          {offerWords.changes}
        </Link>
        {mayRefresh && <Refresh />}
        {mayMake && (
          <button type="button" className="btn" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            {texts.newModel}
          </button>
        )}
      </PageHead>
      <div className="stack">
        <SellingNote />
        <CostTasks />
        <Pricing />
        <List models={read.data?.data} />
        <RateSource />
        <PriceLists />
      </div>
      {making && <NewModel onClose={() => setMaking(false)} />}
    </>
  );
}

/** How many there are, and how many of them follow the rate. */
function Counts({ models }: { models: readonly Model[] }) {
  const texts = useModelTexts();
  const format = useFormat();
  const many = (fits: (price: Model['price']) => boolean) =>
    format.number(models.filter(({ price }) => fits(price)).length);
  return texts.counts(
    format.number(models.length),
    many((price) => price !== null && !price.pinned && price.exchange_rate !== null),
    many((price) => price?.pinned === true),
    many((price) => price === null),
  );
}

/** Where the columns of prices have no room, both prices are in one line. */
function BothPrices({ fields }: { fields: Record<string, string> }) {
  const format = useFormat();
  const nameOf = usePriceName();
  const { toman } = useShared();
  const said = [unitOfInput(fields) ?? '', 'output'].flatMap((field) => {
    const value = fields[field];
    return value === undefined ? [] : [`${nameOf(field)} ${format.money(value)}`];
  });
  if (said.length === 0) return null;
  return (
    <span className="only-s">
      {said.join(' · ')} {toman}
    </span>
  );
}

/** Lists and prices everything again, from the list in force and the present rate. */
function Refresh() {
  const texts = useBulkTexts();
  const format = useFormat();
  const toast = useToast();
  const refresh = useChange<typeof refreshCatalog>('POST /api/admin/catalog/refresh', {
    stale: STALE,
    done: ({ new_prices: n }) => toast({ text: n === 0 ? texts.unchanged : texts.refreshed(format.number(n)) }),
  });
  if (refresh.isPending)
    return (
      <span className="row keep exporting">
        <output className="xs mid">{texts.refreshing}</output>
        <progress className="bar-progress" aria-label={texts.refreshing} />
      </span>
    );
  return (
    <button type="button" className="btn" onClick={() => refresh.mutate({ body: {} })}>
      {texts.refresh}
    </button>
  );
}

function List({ models }: { models: readonly Model[] | undefined }) {
  const common = useTexts();
  const texts = useModelTexts();
  const address = useAddress();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const bulk = useBulkTexts();
  const editing = address.get('model');
  const q = (address.get('q') ?? '').toLowerCase();
  const retiredToo = address.get('retired') !== undefined;
  const uncosted = address.get('cost') === 'unknown';
  const rows = models?.filter(
    ({ id, name, state, routes, simulated }) =>
      (retiredToo || state !== 'retired') &&
      (!uncosted || isUncosted(routes, simulated)) &&
      (id.toLowerCase().includes(q) || name.toLowerCase().includes(q)),
  );
  const routeWords = useRouteTexts();
  const routed = models?.find(({ id }) => id === address.get('routes'));
  const edited = models?.find(({ id }) => id === editing);
  const change = useChange<typeof changeModel>('PATCH /api/admin/models/:vendor/:model', { stale: STALE });
  const sayTurned = useSayTurned();
  const turn = (id: string, on: boolean) =>
    change.mutate(
      { params: partsOf(id), body: { enabled: on } },
      { onSuccess: () => sayTurned(id, on, () => change.mutate({ params: partsOf(id), body: { enabled: !on } })) },
    );
  const mayTurn = useStaffMay<typeof changeModel>(['owner']);
  const mayPrice = useStaffMay<typeof setPrice>(['owner', 'finance']);
  const output = ({ price }: Model) => {
    const value = price === null ? undefined : fieldsOf(price.price)['output'];
    return value === undefined ? null : <AmountCell value={value} />;
  };
  const choice: Column<Model> = {
    id: 'choose',
    head: '',
    className: 'tight',
    cell: ({ id }) => (
      <input
        type="checkbox"
        className="check"
        aria-label={bulk.choose(id)}
        checked={chosen.has(id)}
        onChange={({ target }) => {
          const next = new Set(chosen);
          if (target.checked) next.add(id);
          else next.delete(id);
          setChosen(next);
        }}
      />
    ),
  };
  return (
    <div>
      <div className="filters">
        <FilterText name="q" label={common.search} />
        {models?.some(({ routes, simulated }) => isUncosted(routes, simulated)) && (
          <Toggle checked={uncosted} onChange={(on) => address.set({ cost: on ? 'unknown' : undefined })}>
            {routeWords.noCost}
          </Toggle>
        )}
        {models?.some(({ state }) => state === 'retired') && (
          <Toggle checked={retiredToo} onChange={(on) => address.set({ retired: on ? '1' : undefined })}>
            {routeWords.showRetired}
          </Toggle>
        )}
      </div>
      {chosen.size > 0 && (
        <Bulk models={models?.filter(({ id }) => chosen.has(id)) ?? []} onClear={() => setChosen(new Set())} />
      )}
      <section className="panel" aria-label={common.models}>
        <Table
          label={common.models}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) => address.set({ model: id })}
          empty={<Empty title={texts.noModels} text={texts.noModelsText} />}
          columns={[
            ...(mayPrice ? [choice] : []),
            { id: 'id', head: common.model, fold: 'c1', cell: ({ id }) => <ModelName id={id} /> },
            {
              id: 'input',
              head: texts.inputPrice,
              number: true,
              cell: ({ price }) => (price === null ? texts.unpriced : <InputPrice price={price.price} />),
            },
            { id: 'output', head: texts.outputPrice, number: true, cell: output },
            {
              id: 'routes',
              head: routeWords.routes,
              spare: true,
              fold: 'c4',
              cell: (model) => <RoutesButton model={model} onOpen={() => address.set({ routes: model.id })} />,
            },
            {
              id: 'source',
              head: texts.source,
              fold: 'c3',
              className: 'mid',
              cell: ({ price: version }) =>
                version === null ? (
                  texts.unpriced
                ) : (
                  <span className="row">
                    {version.pinned ? (
                      <Pill tone="info">{texts.pinned}</Pill>
                    ) : version.exchange_rate === null ? (
                      texts.inToman
                    ) : (
                      texts.follows
                    )}
                    <BothPrices fields={fieldsOf(version.price)} />
                  </span>
                ),
            },
            {
              id: 'on',
              head: common.on,
              fold: 'c2',
              // A value set by the configuration file could only be refused here.
              cell: ({ id, enabled, managed_by: by }) => (
                <span title={by === 'config' ? common.fixedByFile : undefined}>
                  <Toggle checked={enabled} disabled={!mayTurn || by === 'config'} onChange={(next) => turn(id, next)}>
                    <span className="vh">{id}</span>
                  </Toggle>
                </span>
              ),
            },
          ]}
        />
      </section>
      {edited !== undefined && <PriceDialog model={edited} onClose={() => address.set({ model: undefined })} />}
      {routed !== undefined && (
        <RoutesDrawer key={routed.id} model={routed} onClose={() => address.set({ routes: undefined })} />
      )}
    </div>
  );
}

/** One of its routes has an unknown cost; simulators cost nothing. */
function isUncosted(routes: Model['routes'], simulated: boolean): boolean {
  return !simulated && routes.some(({ cost, state }) => cost === null && state !== 'retired');
}

/** How many routes there are, and whether the cost of one is unknown. */
function RoutesButton({ model, onOpen }: { model: Model; onOpen(): void }) {
  const texts = useRouteTexts();
  const format = useFormat();
  const live = model.routes.filter(({ state }) => state !== 'retired');
  return (
    <span className="row keep">
      <button
        type="button"
        className="btn small"
        onClick={(event) => {
          event.stopPropagation();
          onOpen();
        }}
      >
        {texts.count(format.number(live.length))}
      </button>
      {isUncosted(model.routes, model.simulated) && <Pill tone="warn">{texts.noCost}</Pill>}
    </span>
  );
}
