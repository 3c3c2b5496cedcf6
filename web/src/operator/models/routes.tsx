/** The routes of one model: upstream name, priority, weight, limits, cost, and their way out; and that of the model itself. */

import type { changeModel, changeRoute, deleteModel, getModelUses, removeRoute } from '@dargah/api/admin/models.ts';
import type { getRouteHealth } from '@dargah/api/admin/service.ts';
import { ROUTE_FIELDS } from '@dargah/core/fields/catalog.ts';
import { useState } from 'react';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Form, NumberField, TextField } from '../../parts/form.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useToast } from '../../parts/toast.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { ModelDescription } from './description.tsx';
import type { Model, Route } from './managed-model.ts';
import { partsOf, STALE } from './money-fields.ts';
import { Retirement } from './retirement.tsx';
import { RouteCost } from './route-cost.tsx';
import { RouteQuirks, type RouteQuirkValues } from './route-quirks.tsx';
import { useRouteTexts } from './route-texts.ts';
import { RouteTraffic } from './route-traffic.tsx';
import { type CatalogState, StateActs, StatePill } from './state-acts.tsx';

const ROUTE_FIELD_NAMES = Object.keys(ROUTE_FIELDS) as (keyof typeof ROUTE_FIELDS)[];

export function RoutesDrawer({ model, onClose }: { model: Model; onClose(): void }) {
  return (
    <Drawer title={<Id value={model.id} />} onClose={onClose}>
      <ModelState model={model} onGone={onClose} />
      <ModelDescription model={model} />
      {model.routes.map((route) => (
        <OneRoute key={`${route.provider} ${route.model}`} model={model} route={route} />
      ))}
    </Drawer>
  );
}

function ModelState({ model, onGone }: { model: Model; onGone(): void }) {
  const texts = useRouteTexts();
  const general = useTexts();
  const toast = useToast();
  const params = partsOf(model.id);
  const may = useStaffMay<typeof changeModel>(['owner']);
  const uses = useRead<typeof getModelUses>('GET /api/admin/models/:vendor/:model/uses', { params }).data;
  const change = useChange<typeof changeModel>('PATCH /api/admin/models/:vendor/:model', { stale: STALE });
  const remove = useChange<typeof deleteModel>('DELETE /api/admin/models/:vendor/:model', {
    stale: STALE,
    done() {
      toast({ text: texts.removed });
      onGone();
    },
  });
  return (
    <section className="stack gap-s">
      <div className="row between">
        <StatePill state={model.state} />
        <span className="xs dim">{labelOf(texts.made, model.managed_by) ?? model.managed_by}</span>
      </div>
      {may && model.managed_by !== 'config' && (
        <StateActs
          id={model.id}
          state={model.state}
          mayRetire
          uses={uses}
          onState={(state) => change.mutate({ params, body: { state } })}
          onRemove={model.managed_by === 'operator' ? () => remove.mutate({ params }) : undefined}
        />
      )}
      {model.managed_by === 'config' && <p className="xs dim">{general.fixedByFile}</p>}
      <Retirement model={model} />
    </section>
  );
}

function OneRoute({ model, route }: { model: Model; route: Route }) {
  const texts = useRouteTexts();
  const format = useFormat();
  const health = useRead<typeof getRouteHealth>('GET /api/admin/routes/health', {}).data?.data ?? [];
  const target = `${route.provider}:${route.model}`;
  const running = health
    .filter((one) => one.target === target || one.target.startsWith(`${target}#`))
    .reduce((sum, one) => sum + one.in_flight, 0);
  return (
    <section className="stack gap-m" aria-label={target}>
      <div className="row between">
        <h3>
          {texts.route} <Id value={target} />
        </h3>
        <StatePill state={route.state} />
      </div>
      <p className="xs dim">
        {labelOf(texts.routeMade, route.managed_by) ?? route.managed_by}
        {route.last_used_at === null && ` · ${texts.notUsed}`}
        {route.state !== 'active' && running > 0 && ` · ${texts.running(format.number(running))}`}
      </p>
      <RouteTraffic model={model.id} target={target} />
      {route.cost === null && <Pill tone="warn">{texts.noCost}</Pill>}
      {route.managed_by === 'config' ? (
        <p className="xs dim">{texts.fromFile}</p>
      ) : (
        <ChangedBy<typeof changeRoute> roles={['owner']}>
          <RouteForm key={JSON.stringify(editedOf(route))} model={model} route={route} />
          <RouteActs model={model} route={route} />
        </ChangedBy>
      )}
      <RouteCost key={`${target} ${JSON.stringify(route.cost)}`} model={model} route={route} />
    </section>
  );
}

/** What the form shows. Whatever else a route tells may be read anew while somebody writes. */
function editedOf({ model, quirks, ...route }: Route) {
  return [model, quirks, ...ROUTE_FIELD_NAMES.map((field) => route[field])];
}

const inputOf = (model: Model, route: Route) => ({
  params: partsOf(model.id),
  query: { provider: route.provider, model: route.model },
});

/** Beside the form, which begins anew once it is saved: a question that was asked meanwhile stays. */
function RouteActs({ model, route }: { model: Model; route: Route }) {
  const texts = useRouteTexts();
  const toast = useToast();
  const input = inputOf(model, route);
  const change = useChange<typeof changeRoute>('PATCH /api/admin/models/:vendor/:model/routes', {
    stale: STALE,
    done: () => toast({ text: texts.saved }),
  });
  const remove = useChange<typeof removeRoute>('DELETE /api/admin/models/:vendor/:model/routes', {
    stale: STALE,
    done: () => toast({ text: texts.removed }),
  });
  return (
    <StateActs
      id={`${route.provider}:${route.model}`}
      state={route.state}
      mayRetire
      onState={(state: CatalogState) => change.mutate({ ...input, body: { state } })}
      onRemove={route.managed_by === 'operator' ? () => remove.mutate(input) : undefined}
    />
  );
}

function RouteForm({ model, route }: { model: Model; route: Route }) {
  const texts = useRouteTexts();
  const general = useTexts();
  const declared = useDeclared();
  const toast = useToast();
  const text = (value: number | null) => (value === null ? null : String(value));
  const [upstream, setUpstream] = useState(route.model);
  const [values, setValues] = useState<Record<keyof typeof ROUTE_FIELDS, string | null>>({
    priority: text(route.priority),
    weight: text(route.weight),
    max_concurrent: text(route.max_concurrent),
    requests_per_minute: text(route.requests_per_minute),
    tokens_per_minute: text(route.tokens_per_minute),
  });
  const [quirks, setQuirks] = useState<RouteQuirkValues>(route.quirks);
  const change = useChange<typeof changeRoute>('PATCH /api/admin/models/:vendor/:model/routes', {
    stale: STALE,
    quiet: true,
    done: () => toast({ text: texts.saved }),
  });
  const whole = (value: string | null) => (value === null ? null : Math.round(Number(value)));
  const save = () =>
    change.mutate({
      ...inputOf(model, route),
      body: {
        ...(upstream.trim() === route.model ? {} : { model: upstream.trim() }),
        priority: whole(values.priority) ?? route.priority,
        weight: whole(values.weight) ?? route.weight,
        max_concurrent: whole(values.max_concurrent),
        requests_per_minute: whole(values.requests_per_minute),
        tokens_per_minute: whole(values.tokens_per_minute),
        ...(quirks === route.quirks ? {} : { quirks }),
      },
    });
  return (
    <Form className="stack gap-m" label={texts.routes} onSubmit={save}>
      <TextField
        label={texts.upstream}
        dir="ltr"
        name="upstream"
        value={upstream}
        readOnly={route.managed_by !== 'operator'}
        onChange={setUpstream}
        error={errorAt(change.error, 'model')}
      />
      <div className="columns">
        {ROUTE_FIELD_NAMES.map((field) => (
          <NumberField
            key={field}
            label={declared(ROUTE_FIELDS[field]).label}
            name={field}
            bounds={ROUTE_FIELDS[field]}
            {...('nullable' in ROUTE_FIELDS[field] && { placeholder: texts.unlimited })}
            value={values[field]}
            onChange={(next) => setValues((before) => ({ ...before, [field]: next }))}
            error={errorAt(change.error, field)}
          />
        ))}
      </div>
      <p className="xs dim">{texts.limitsCounted}</p>
      <RouteQuirks quirks={quirks} onChange={setQuirks} />
      {change.error !== null && <p className="bad">{change.error.message}</p>}
      <div className="row">
        <button type="submit" className="btn" disabled={change.isPending}>
          {general.save}
        </button>
      </div>
    </Form>
  );
}
