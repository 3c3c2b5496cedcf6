/** One provider: tried step by step, its keys by label and last four characters, its way out, its routes. */

import type { getOffer } from '@dargah/api/admin/offers.ts';
import type { testProvider } from '@dargah/api/admin/operations.ts';
import type {
  addCredential,
  changeProvider,
  deleteProvider,
  getCostFactor,
  getProviderUses,
  listProviders,
  removeCredential,
  setCostFactor,
} from '@dargah/api/admin/providers.ts';
import type { getRouteHealth } from '@dargah/api/admin/service.ts';
import { PROVIDER_FIELDS } from '@dargah/core/fields/catalog.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, NumberField, SecretField, TextField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy, WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useRouteTexts } from '../models/route-texts.ts';
import { StateActs, StatePill } from '../models/state-acts.tsx';
import { useTexts } from '../texts.ts';
import { useOfferTexts } from './offer-texts.ts';
import { ProviderTest } from './test-call.tsx';
import { useProviderTexts } from './texts.ts';

export type Provider = Result<typeof listProviders>['data'][number];
export const STALE = [
  'GET /api/admin/providers',
  'GET /api/admin/providers/:id/uses',
  'GET /api/admin/routes/health',
  'GET /api/admin/models',
];

export function ProviderDrawer({ provider, onClose }: { provider: Provider; onClose(): void }) {
  const mayTest = useStaffMay<typeof testProvider>(['owner']);
  const keyName = useKeyName();
  const mayOffer = useStaffMay<typeof getOffer>(['owner', 'finance']);
  const offer = useOfferTexts();
  return (
    <Drawer title={<Id value={provider.id} />} onClose={onClose}>
      {mayOffer && provider.transport === 'http' && (
        <div className="row">
          <Link className="btn main" href={`/operator/providers/${encodeURIComponent(provider.id)}/offer`}>
            {offer.toOffer}
          </Link>
        </div>
      )}
      <Standing provider={provider} onGone={onClose} />
      {mayTest && (
        <section>
          <ProviderTest id={provider.id} keyName={(id) => keyName(provider.credentials.find((key) => key.id === id))} />
        </section>
      )}
      <Credentials provider={provider} />
      <CostFactor provider={provider} />
      <WayOut key={JSON.stringify([provider.base_url, provider.egress, provider.max_concurrent])} provider={provider} />
    </Drawer>
  );
}

/** Where it stands on its way out, and what depends on it. */
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
    <section className="stack s">
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
        className="stack m"
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

/** A key by its label, else by its last characters; of a short one not even those are told. */
function useKeyName(): (key: Provider['credentials'][number] | undefined) => string {
  const { unnamed } = useProviderTexts();
  return (key) => key?.label ?? (key?.last4 == null ? unnamed : `\u2066…${key.last4}\u2069`);
}

function Credentials({ provider }: { provider: Provider }) {
  const texts = useTexts();
  const own = useProviderTexts();
  const [secret, setSecret] = useState('');
  const [label, setLabel] = useState('');
  const [asking, setAsking] = useState<Provider['credentials'][number]>();
  const params = { id: provider.id };
  const add = useChange<typeof addCredential>('POST /api/admin/providers/:id/credentials', {
    stale: STALE,
    done() {
      setSecret('');
      setLabel('');
    },
  });
  const remove = useChange<typeof removeCredential>('DELETE /api/admin/providers/:id/credentials/:credential', {
    stale: STALE,
    done: () => setAsking(undefined),
  });
  const mayChange = useStaffMay<typeof addCredential>(['owner']);
  const keyName = useKeyName();
  const isLast = provider.credentials.length === 1;
  return (
    <section className="stack m">
      <h3>{texts.credentials}</h3>
      <p className="mid xs">{own.rotation}</p>
      {provider.credentials.map((credential) => (
        <div key={credential.id} className="row between">
          <span>
            {credential.label !== null && <bdi className="strong">{credential.label} </bdi>}
            {credential.last4 !== null ? (
              <Id value={`…${credential.last4}`} />
            ) : (
              credential.label === null && <span title={credential.id}>{own.unnamed}</span>
            )}{' '}
            <span className="xs dim">
              <Moment at={credential.created_at} />
            </span>
          </span>
          {mayChange && (
            <button type="button" className="btn small" onClick={() => setAsking(credential)}>
              {texts.remove}
            </button>
          )}
        </div>
      ))}
      {mayChange ? (
        <Form
          className="stack m"
          label={texts.addCredential}
          onSubmit={() =>
            add.mutate({ params, body: { secret, ...(label.trim() === '' ? {} : { label: label.trim() }) } })
          }
        >
          <SecretField label={texts.addCredential} hint={texts.secretHint} value={secret} onChange={setSecret} />
          <TextField label={own.label} hint={own.labelHint} value={label} onChange={setLabel} />
          <div className="row">
            <button type="submit" className="btn" disabled={secret === '' || add.isPending}>
              {texts.addCredential}
            </button>
          </div>
        </Form>
      ) : (
        <WhoMay<typeof addCredential> roles={['owner']} />
      )}
      {asking !== undefined && (
        <Confirm
          title={own.removeAsk(keyName(asking))}
          act={own.removeAct}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { ...params, credential: asking.id } })}
          onClose={() => setAsking(undefined)}
        >
          <p>{isLast ? own.removeLast : own.removeText}</p>
        </Confirm>
      )}
    </section>
  );
}

/** Address, proxies and how many at once. What start-up made is changed where it comes from. */
function WayOut({ provider }: { provider: Provider }) {
  const texts = useTexts();
  const own = useProviderTexts();
  const declared = useDeclared();
  const shared = useShared();
  const toast = useToast();
  const [url, setUrl] = useState(provider.base_url);
  const shownWays = (provider.egress ?? []).join(' ');
  const [ways, setWays] = useState(shownWays);
  const [most, setMost] = useState<string | null>(
    provider.max_concurrent === null ? null : String(provider.max_concurrent),
  );
  const change = useChange<typeof changeProvider>('PATCH /api/admin/providers/:id', {
    stale: STALE,
    quiet: true,
    done: () => toast({ text: shared.saved }),
  });
  if (provider.managed_by !== 'operator')
    return (
      <section className="stack s">
        <h3>{own.wayOut}</h3>
        <dl className="facts">
          <dt>{texts.baseUrl}</dt>
          <dd>
            <Id value={provider.base_url} />
          </dd>
          <dt>{own.ways}</dt>
          <dd>{provider.egress === null ? own.asEnvironment : <Id value={shownWays} />}</dd>
        </dl>
        <p className="xs dim">{own.notYours}</p>
      </section>
    );
  const egress = ways.split(/[\s,،]+/).filter(Boolean);
  return (
    <section>
      <h3>{own.wayOut}</h3>
      <Form
        className="stack m"
        label={own.wayOut}
        onSubmit={() =>
          change.mutate({
            params: { id: provider.id },
            body: {
              ...(url.trim() === provider.base_url ? {} : { base_url: url.trim() }),
              // Passwords are not shown: ways that were not touched are not sent back without them.
              ...(ways === shownWays ? {} : { egress: egress.length === 0 ? null : egress }),
              max_concurrent: most === null ? null : Math.round(Number(most)),
            },
          })
        }
      >
        <ChangedBy<typeof changeProvider> roles={['owner']}>
          <TextField
            label={texts.baseUrl}
            value={url}
            onChange={setUrl}
            dir="ltr"
            error={errorAt(change.error, 'base_url')}
          />
          <TextField
            label={own.ways}
            hint={own.waysHint}
            value={ways}
            onChange={setWays}
            dir="ltr"
            placeholder="socks5h://host:1080 direct"
            error={errorAt(change.error, 'egress')}
          />
          <NumberField
            {...declared(PROVIDER_FIELDS.max_concurrent)}
            hint={own.mostHint}
            placeholder={shared.unlimited}
            bounds={PROVIDER_FIELDS.max_concurrent}
            value={most}
            onChange={setMost}
          />
          {change.error !== null && <p className="bad">{change.error.message}</p>}
          <div className="row">
            <button type="submit" className="btn" disabled={change.isPending}>
              {texts.save}
            </button>
          </div>
        </ChangedBy>
      </Form>
    </section>
  );
}
