/** One provider: tried step by step, its keys by label and last four characters, its way out, its routes. */

import type { getOffer } from '@dargah/api/admin/offers.ts';
import type { testProvider } from '@dargah/api/admin/operations.ts';
import type {
  changeProvider,
  deleteProvider,
  getCostFactor,
  getProviderUses,
  setCostFactor,
} from '@dargah/api/admin/providers.ts';
import type { getRouteHealth } from '@dargah/api/admin/service.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Form, NumberField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useStaffMay } from '../may.ts';
import { useRouteTexts } from '../models/route-texts.ts';
import { StateActs, StatePill } from '../models/state-acts.tsx';
import { useTexts } from '../texts.ts';
import { Credentials, useKeyName } from './credentials.tsx';
import { DataPolicySection } from './data-policy.tsx';
import { useOfferTexts } from './offer-texts.ts';
import { type Provider, STALE } from './own-provider.ts';
import { ProviderTest } from './test-call.tsx';
import { WayOut } from './way-out.tsx';

export function ProviderDrawer({ provider, onClose }: { provider: Provider; onClose(): void }) {
  const mayTest = useStaffMay<typeof testProvider>(['owner']);
  const keyName = useKeyName();
  const mayOffer = useStaffMay<typeof getOffer>(['owner', 'finance']);
  const offer = useOfferTexts();
  return (
    <Drawer title={<Id value={provider.id} />} onClose={onClose}>
      {mayOffer && provider.transport === 'http' && (
        <section>
          <Link className="btn main" href={`/operator/providers/${encodeURIComponent(provider.id)}/offer`}>
            {offer.toOffer}
          </Link>
        </section>
      )}
      <Standing provider={provider} onGone={onClose} />
      {mayTest && (
        <section>
          <ProviderTest id={provider.id} keyName={(id) => keyName(provider.credentials.find((key) => key.id === id))} />
        </section>
      )}
      <Credentials provider={provider} />
      <CostFactor provider={provider} />
      <DataPolicySection
        key={JSON.stringify([provider.data_policy, provider.data_policy_source])}
        provider={provider}
      />
      <WayOut key={JSON.stringify([provider.base_url, provider.egress, provider.max_concurrent])} provider={provider} />
    </Drawer>
  );
}

/** Its state on the way out of the catalog, and what depends on it. */
function Standing({ provider, onGone }: { provider: Provider; onGone(): void }) {
  const texts = useRouteTexts();
  const format = useFormat();
  const toast = useToast();
  const params = { id: provider.id };
  const may = useStaffMay<typeof changeProvider>(['owner']);
  const uses = useRead<typeof getProviderUses>('GET /api/admin/providers/:id/uses', { params }).data;
  const health = useRead<typeof getRouteHealth>('GET /api/admin/routes/health', {}).data?.data ?? [];
  const change = useChange<typeof changeProvider>('PATCH /api/admin/providers/:id', { stale: STALE });
  const remove = useChange<typeof deleteProvider>('DELETE /api/admin/providers/:id', {
    stale: STALE,
    done() {
      toast({ text: texts.removed });
      onGone();
    },
  });
  const running = health.filter((one) => one.provider === provider.id).reduce((sum, { in_flight: n }) => sum + n, 0);
  const isOwn = provider.managed_by === 'operator';
  return (
    <section className="stack gap-s">
      <div className="row between">
        <StatePill state={provider.state} />
        <span className="xs dim">{labelOf(texts.made, provider.managed_by) ?? provider.managed_by}</span>
      </div>
      {provider.state !== 'active' && running > 0 && <p className="xs mid">{texts.running(format.number(running))}</p>}
      {may && provider.managed_by !== 'config' && (
        <StateActs
          id={provider.id}
          state={provider.state}
          mayRetire={isOwn}
          uses={uses}
          onState={(state) => change.mutate({ params, body: { state } })}
          onRemove={isOwn ? () => remove.mutate({ params }) : undefined}
        />
      )}
      {provider.managed_by === 'environment' && <p className="xs dim">{texts.fromEnvironment}</p>}
    </section>
  );
}

/** What the provider charges of list prices, by contract. */
function CostFactor({ provider }: { provider: Provider }) {
  const params = { id: provider.id };
  const may = useStaffMay<typeof setCostFactor>(['owner', 'finance']);
  const factor = useRead<typeof getCostFactor>(
    'GET /api/admin/providers/:id/cost-factor',
    { params },
    { enabled: may },
  );
  if (factor.data === undefined) return null;
  return <FactorForm key={factor.data.factor ?? ''} id={provider.id} factor={factor.data.factor} />;
}

function FactorForm({ id, factor }: { id: string; factor: string | null }) {
  const texts = useRouteTexts();
  const general = useTexts();
  const toast = useToast();
  const [value, setValue] = useState<string | null>(factor);
  const save = useChange<typeof setCostFactor>('PUT /api/admin/providers/:id/cost-factor', {
    stale: [...STALE, 'GET /api/admin/providers/:id/cost-factor', 'GET /api/admin/providers/:id/offer'],
    done: () => toast({ text: texts.factorDone }),
  });
  return (
    <section>
      <Form
        className="stack gap-m"
        label={texts.factor}
        onSubmit={() => save.mutate({ params: { id }, body: { factor: value } })}
      >
        <NumberField label={texts.factor} hint={texts.factorHint} name="factor" value={value} onChange={setValue} />
        <div className="row">
          <button type="submit" className="btn" disabled={value === factor || save.isPending}>
            {general.save}
          </button>
        </div>
      </Form>
    </section>
  );
}
