/**
 * What a route costs us: where that comes from, and a value set by hand instead. Unknown is shown as unknown, never as
 * zero.
 */

import type { setRouteCost } from '@dargah/api/admin/models.ts';
import type { countRouteCost } from '@dargah/api/admin/profit-and-costs.ts';
import { usualPrices } from '@dargah/core/model-kinds.ts';
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import { usePriceName } from '../../parts/declared.ts';
import { NumberField, SelectField, Toggle } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { useCostTexts } from '../cost-texts.ts';
import { useStaffMay } from '../may.ts';
import { BothUnits } from '../providers/unit-price.tsx';
import type { Model, Route } from './managed-model.ts';
import { fieldsOf, partsOf, STALE } from './money-fields.ts';
import { useRouteTexts } from './route-texts.ts';

type Currency = 'toman' | 'usd';
const COSTS = 'GET /api/admin/tasks/costs';

export function RouteCost({ model, route }: { model: Model; route: Route }) {
  const texts = useRouteTexts();
  const may = useStaffMay<typeof setRouteCost>(['owner', 'finance']);
  return (
    <div className="stack gap-s">
      <div className="row between">
        <b>{texts.cost}</b>
        <span>
          {route.cost === null ? <span className="dim">{texts.noCost}</span> : <BothUnits price={route.cost} />}
        </span>
      </div>
      {route.cost_source !== null && (
        <p className="xs dim">{labelOf(texts.sources, route.cost_source) ?? route.cost_source}</p>
      )}
      {may && route.cost_source !== 'file' && <CostForm model={model} route={route} />}
    </div>
  );
}

function CostForm({ model, route }: { model: Model; route: Route }) {
  const texts = useRouteTexts();
  const shared = useShared();
  const nameOf = usePriceName();
  const toast = useToast();
  const [currency, setCurrency] = useState<Currency>('usd');
  const fields = model.price === null ? usualPrices(model.kind) : Object.keys(fieldsOf(model.price.price));
  const shown = fields.filter((field) => field !== 'request');
  const [values, setValues] = useState<Record<string, string | null>>({});
  const costTexts = useCostTexts();
  const [counts, setCounts] = useState(route.cost === null);
  const count = useChange<typeof countRouteCost>('POST /api/admin/tasks/costs/count', {
    stale: [COSTS, 'GET /api/admin/profit'],
    done: () => toast({ text: costTexts.counted }),
  });
  const set = useChange<typeof setRouteCost>('PUT /api/admin/models/:vendor/:model/routes/cost', {
    stale: [...STALE, COSTS],
    done({ kind }) {
      toast({ text: texts.costDone });
      // Without a list price the cost stays unknown.
      if (counts && kind === 'price')
        count.mutate({ body: { model: model.id, provider: route.provider, upstream_model: route.model } });
    },
  });
  const say = (price: Record<string, string> | null) =>
    set.mutate({
      params: partsOf(model.id),
      query: { provider: route.provider, model: route.model },
      body: { currency, price },
    });
  const given = Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => (value === null ? [] : [[field, value] as const])),
  );
  return (
    <details>
      <summary>{texts.setCost}</summary>
      <div className="stack gap-m">
        <p className="xs dim">{texts.costText}</p>
        <SelectField
          label={texts.currency}
          value={currency}
          onChange={(next) => setCurrency(next as Currency)}
          options={(['usd', 'toman'] as const).map((one) => [one, texts.currencies[one]] as const)}
        />
        <div className="columns">
          {shown.map((field) => (
            <NumberField
              key={field}
              label={nameOf(field)}
              name={`cost-${field}`}
              unit={currency === 'toman' ? shared.toman : texts.currencies.usd}
              value={values[field] ?? null}
              onChange={(next) => setValues((before) => ({ ...before, [field]: next }))}
            />
          ))}
        </div>
        <Toggle checked={counts} onChange={setCounts}>
          {costTexts.countMonthToo}
        </Toggle>
        <div className="row">
          <button
            type="button"
            className="btn"
            disabled={Object.keys(given).length === 0 || set.isPending}
            onClick={() => say(given)}
          >
            {texts.setCost}
          </button>
          <button type="button" className="btn small" onClick={() => say({})}>
            {texts.free}
          </button>
          {route.cost_source === 'own' && (
            <button type="button" className="btn small" onClick={() => say(null)}>
              {texts.byList}
            </button>
          )}
        </div>
      </div>
    </details>
  );
}
