/** Models and prices: bulk by rate and margin with a preview, one by one as a new version, with their history. */
import { useMemo, useState } from 'react';
import type {
  changeModel,
  listManagedModels,
  listPrices,
  setPrice,
} from '../../../server/src/http/admin/routes/models.ts';
import type { getProfit } from '../../../server/src/http/admin/routes/payments.ts';
import type { getSettings, refreshCatalog } from '../../../server/src/http/admin/routes/service.ts';
import { useAddress } from '../address.ts';
import type { Result } from '../api/call.ts';
import { useChange, useRead } from '../api/read.ts';
import { roughly, useFormat } from '../format.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { FilterText } from '../parts/filter.tsx';
import { Form, NumberField, TextField, Toggle } from '../parts/form.tsx';
import { AmountCell, Empty, Id, Moment, PageHead, Panel } from '../parts/small.tsx';
import { Table } from '../parts/table.tsx';
import { useToast } from '../parts/toast.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useShared } from '../words/shared.ts';
import { useWords } from './words.ts';

type Model = Result<typeof listManagedModels>['data'][number];
type Prices = Record<string, string | undefined>;
const STALE = ['GET /api/admin/models', 'GET /api/admin/models/:vendor/:model/prices', 'GET /api/admin/settings'];

export default function ModelsPage() {
  const words = useWords();
  const address = useAddress();
  const [editing, setEditing] = useState<Model>();
  const read = useRead<typeof listManagedModels>('GET /api/admin/models', {});
  const q = (address.get('q') ?? '').toLowerCase();
  const rows = read.data?.data.filter(({ id, name }) => id.toLowerCase().includes(q) || name.toLowerCase().includes(q));
  const change = useChange<typeof changeModel>('PATCH /api/admin/models/:vendor/:model', { stale: STALE });
  const price = ({ price: version }: Model, field: string) => (version?.price as Prices | undefined)?.[field];
  if (read.error !== null) return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={words.nav.models} />
      <div className="stack">
        <Rate models={read.data?.data ?? []} />
        <div>
          <div className="filters">
            <FilterText name="q" label={words.search} />
          </div>
          <section className="panel" aria-label={words.models}>
            <Table
              label={words.models}
              rows={rows}
              idOf={({ id }) => id}
              onOpen={setEditing}
              empty={<Empty title={words.noModels} text={words.noModelsText} />}
              columns={[
                { id: 'id', head: words.model, fold: 'c1', cell: ({ id }) => <Id value={id} /> },
                {
                  id: 'input',
                  head: words.inputPrice,
                  number: true,
                  fold: 'c2',
                  cell: (model) => priceCell(price(model, 'input')),
                },
                {
                  id: 'output',
                  head: words.outputPrice,
                  number: true,
                  cell: (model) => priceCell(price(model, 'output')),
                },
                {
                  id: 'source',
                  head: words.source,
                  fold: 'c3',
                  className: 'mid',
                  cell: ({ price: version }) =>
                    version === null ? '—' : isPinned(version.source) ? words.pinned : words.follows,
                },
                {
                  id: 'on',
                  head: words.state,
                  fold: 'c4',
                  cell: ({ id, enabled }) => (
                    <Toggle
                      checked={enabled}
                      onChange={(next) => change.mutate({ params: partsOf(id), body: { enabled: next } })}
                    >
                      <span className="vh">{id}</span>
                    </Toggle>
                  ),
                },
              ]}
            />
          </section>
        </div>
      </div>
      {editing !== undefined && <PriceDialog model={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}

function priceCell(value: string | undefined) {
  return value === undefined ? '—' : <AmountCell value={value} />;
}

function isPinned(source: string): boolean {
  return source === 'operator' || source === 'config' || source === 'pinned';
}

function partsOf(id: string): { vendor: string; model: string } {
  const cut = id.indexOf('/');
  return { vendor: id.slice(0, cut), model: id.slice(cut + 1) };
}

function Rate({ models }: { models: readonly Model[] }) {
  const words = useWords();
  const format = useFormat();
  const toast = useToast();
  const settings = useRead<typeof getSettings>('GET /api/admin/settings', {}).data;
  const from = useMemo(() => new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10), []);
  const week = useRead<typeof getProfit>('GET /api/admin/profit', { query: { by: 'model', from } }).data;
  const [rate, setRate] = useState<string | null>(null);
  const [margin, setMargin] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const refresh = useChange<typeof refreshCatalog>('POST /api/admin/catalog/refresh', {
    stale: STALE,
    done({ new_prices: count }) {
      setAsking(false);
      setRate(null);
      setMargin(null);
      toast({ text: words.applied(format.number(count)) });
    },
  });
  const rateNow = settings?.exchange_rate ?? null;
  const marginNow = settings?.margin ?? null;
  const nextRate = rate ?? rateNow;
  const nextMargin = margin === null ? marginNow : String(Number(margin) / 100);
  const ratio =
    rateNow === null || marginNow === null || nextRate === null || nextMargin === null
      ? undefined
      : (Number(nextRate) * (1 + Number(nextMargin))) / (Number(rateNow) * (1 + Number(marginNow)));
  const pinned = new Set(models.filter(({ price }) => price !== null && isPinned(price.source)).map(({ id }) => id));
  const sold = (week?.data ?? []).reduce((sum, row) => sum + roughly(row.revenue), 0);
  const after = (week?.data ?? []).reduce(
    (sum, row) => sum + roughly(row.revenue) * (pinned.has(row.value) ? 1 : (ratio ?? 1)),
    0,
  );
  const ready = nextRate !== null && nextMargin !== null && (rate !== null || margin !== null);
  const previewLines = (
    <>
      {ratio !== undefined && <p>{words.previewLine(format.percent(ratio - 1, 2))}</p>}
      {ratio !== undefined && week !== undefined && (
        <p>{words.previewRevenue(format.number(sold, 0), format.number(after, 0))}</p>
      )}
      <p>{words.previewPinned(format.number(pinned.size))}</p>
    </>
  );
  return (
    <Panel title={words.rate}>
      <Form className="pad stack m" label={words.rate} onSubmit={() => setAsking(true)}>
        <div className="rate">
          <div>
            <span className="label">{words.rateNow}</span>
            <div className="fig">{rateNow === null ? '—' : format.money(rateNow)}</div>
            <span className="xs dim">
              {words.marginNow} {marginNow === null ? '—' : format.percent(Number(marginNow), 2)}
            </span>
          </div>
          <NumberField label={words.rateNew} unit={words.perDollar} value={rate} onChange={setRate} />
          <NumberField label={words.marginNew} unit="٪" value={margin} onChange={setMargin} />
        </div>
        {ready && <div className="stack s">{previewLines}</div>}
        <div className="row">
          <button type="submit" className="btn main" disabled={!ready}>
            {words.preview}
          </button>
        </div>
      </Form>
      {asking && (
        <Confirm
          title={words.rate}
          act={words.apply}
          danger={false}
          busy={refresh.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            if (nextRate !== null && nextMargin !== null)
              refresh.mutate({ body: { exchange_rate: nextRate, margin: nextMargin } });
          }}
        >
          {previewLines}
        </Confirm>
      )}
    </Panel>
  );
}

function PriceDialog({ model, onClose }: { model: Model; onClose(): void }) {
  const words = useWords();
  const shared = useShared();
  const format = useFormat();
  const toast = useToast();
  const params = partsOf(model.id);
  const known = (model.price?.price as Prices | undefined) ?? { input: '0', output: '0' };
  const [values, setValues] = useState<Record<string, string | null>>(() =>
    Object.fromEntries(Object.entries(known).map(([field, value]) => [field, value ?? null])),
  );
  const [at, setAt] = useState('');
  const history = useRead<typeof listPrices>('GET /api/admin/models/:vendor/:model/prices', { params, query: {} }).data
    ?.data;
  const save = useChange<typeof setPrice>('POST /api/admin/models/:vendor/:model/prices', {
    stale: STALE,
    done() {
      toast({ text: words.priceDone });
      onClose();
    },
  });
  const changed = Object.entries(values).filter(([field, value]) => value !== (known[field] ?? null));
  return (
    <Dialog
      title={words.priceOf(`\u2066${model.id}\u2069`)}
      wide
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button
            type="button"
            className="btn main"
            disabled={changed.length === 0 || save.isPending}
            onClick={() =>
              save.mutate({
                params,
                body: {
                  price: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as never,
                  ...(at === '' ? {} : { effective_at: new Date(at).toISOString() }),
                },
              })
            }
          >
            {words.setPrice}
          </button>
        </>
      }
    >
      <div className="columns">
        {Object.keys(known).map((field) => (
          <NumberField
            key={field}
            label={words.fields[field] ?? field}
            unit={shared.toman}
            value={values[field] ?? null}
            onChange={(next) => setValues((before) => ({ ...before, [field]: next }))}
          />
        ))}
        <TextField
          label={words.from}
          hint={words.fromHint}
          type="datetime-local"
          dir="ltr"
          value={at}
          onChange={setAt}
        />
      </div>
      <p className="xs dim">{words.perMillion}</p>
      {changed.length > 0 && (
        <ul className="what">
          {changed.map(([field, value]) => (
            <li key={field}>
              {words.fields[field] ?? field}: {format.money(known[field] ?? '0')} ←{' '}
              <b>{value === null ? '—' : format.money(value)}</b>{' '}
              {value !== null && Number(known[field] ?? 0) > 0 && (
                <span className="dim">({format.percent(Number(value) / Number(known[field]) - 1, 2)})</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {save.error !== null && <p className="bad">{save.error.message}</p>}
      <h3>{words.priceHistory}</h3>
      <ul className="stack s">
        {history?.map((version) => (
          <li key={version.version} className="row between xs">
            <Id value={version.version} />
            <span>
              {Object.entries(version.price as Prices)
                .map(([field, value]) => `${words.fields[field] ?? field} ${format.money(value ?? '0')}`)
                .join(' · ')}
            </span>
            <Moment at={version.effective_at} exact />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
