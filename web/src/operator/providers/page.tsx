/** Providers: their keys (written, never shown), their state, on and off. */

import type { changeProvider, createProvider, listProviders } from '@dargah/api/admin/providers.ts';
import type { getRouteHealth } from '@dargah/api/admin/service.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import { useChange, useRead } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { SecretField, SelectField, TextField, Toggle } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { usePreferences } from '../../preferences.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useBookWords } from '../book-words.ts';
import { useStaffMay } from '../may.ts';
import { useRouteWords } from '../models/route-words.ts';
import { StatePill } from '../models/state-acts.tsx';
import { RouteHealth } from '../overview/page.tsx';
import { useSayTurned } from '../say-turned.ts';
import { useWords } from '../words.ts';
import { type Provider, ProviderDrawer, STALE } from './provider.tsx';
import { VENDOR_NAMES } from './vendor-names.ts';
import { useProviderWords } from './words.ts';

export default function ProvidersPage() {
  const words = useWords();
  const routeWords = useRouteWords();
  const { causes } = useBookWords();
  const [making, setMaking] = useState(false);
  const address = useAddress();
  const editing = address.get('provider');
  const read = useRead<typeof listProviders>('GET /api/admin/providers', {});
  const health = useRead<typeof getRouteHealth>('GET /api/admin/routes/health', {}).data?.data ?? [];
  const change = useChange<typeof changeProvider>('PATCH /api/admin/providers/:id', { stale: STALE });
  const sayTurned = useSayTurned();
  const turn = (id: string, on: boolean) =>
    change.mutate(
      { params: { id }, body: { enabled: on } },
      { onSuccess: () => sayTurned(id, on, () => change.mutate({ params: { id }, body: { enabled: !on } })) },
    );
  const mayMake = useStaffMay<typeof createProvider>(['owner']);
  const mayChange = useStaffMay<typeof changeProvider>(['owner']);
  const chosen = read.data?.data.find(({ id }) => id === editing);
  const retiredToo = address.get('retired') !== undefined;
  const rows = read.data?.data.filter(({ state }) => retiredToo || state !== 'retired');
  const broken = (id: string) => health.find((route) => route.provider === id && route.state !== 'closed');
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={words.nav.providers}>
        {mayMake && (
          <button type="button" className="btn" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            {words.newProvider}
          </button>
        )}
      </PageHead>
      <div className="stack">
        {read.data?.data.some(({ state }) => state === 'retired') && (
          <Toggle checked={retiredToo} onChange={(on) => address.set({ retired: on ? '1' : undefined })}>
            {routeWords.showRetired}
          </Toggle>
        )}
        <section className="panel" aria-label={words.nav.providers}>
          <Table
            label={words.nav.providers}
            rows={rows}
            idOf={({ id }) => id}
            selected={editing}
            onOpen={({ id }) => address.set({ provider: id })}
            empty={<Empty title={words.noProviders} text={words.noProvidersText} />}
            columns={[
              { id: 'id', head: words.id, fold: 'c1', cell: ({ id }) => <Id value={id} /> },
              { id: 'vendor', head: words.vendor, fold: 'c3', cell: ({ vendor }) => <Id value={vendor} /> },
              {
                id: 'state',
                head: words.state,
                fold: 'c4',
                cell: (provider) => {
                  const { id, present, enabled, state } = provider;
                  const route = broken(id);
                  if (!enabled) return <StatePill state={state} />;
                  if (!present) return <Pill tone="bad">{words.providerGone}</Pill>;
                  if (route !== undefined)
                    return (
                      <Pill tone={route.state === 'open' ? 'bad' : 'warn'}>
                        {route.cause === null ? words.openState : (wordOf(causes, route.cause) ?? route.cause)}
                      </Pill>
                    );
                  return <Wellness provider={provider} />;
                },
              },
              { id: 'url', head: words.baseUrl, spare: true, cell: ({ base_url: url }) => <Id value={url} /> },
              {
                id: 'on',
                head: words.on,
                fold: 'c2',
                // What the configuration file decides could only be refused here.
                cell: ({ id, enabled, managed_by: by }) => (
                  <span title={by === 'config' ? words.fixedByFile : undefined}>
                    <Toggle
                      checked={enabled}
                      disabled={!mayChange || by === 'config'}
                      onChange={(next) => turn(id, next)}
                    >
                      <span className="vh">{id}</span>
                    </Toggle>
                  </span>
                ),
              },
            ]}
          />
        </section>
        <RouteHealth />
      </div>
      {making && <NewProvider onClose={() => setMaking(false)} />}
      {chosen !== undefined && (
        <ProviderDrawer key={chosen.id} provider={chosen} onClose={() => address.set({ provider: undefined })} />
      )}
    </>
  );
}

/** Well only after a call or a test that passed: before that nobody knows. */
function Wellness({ provider }: { provider: Provider }) {
  const words = useWords();
  const own = useRouteWords();
  const { last_used_at: used, tested_ok: tested, transport } = provider;
  if (used !== null || transport === 'sandbox') return <Pill tone="ok">{words.closedState}</Pill>;
  if (tested === null) return <Pill tone="off">{own.notUsed}</Pill>;
  return <Pill tone={tested ? 'ok' : 'bad'}>{tested ? own.tested : own.testFailed}</Pill>;
}

const COMPATIBLE = '';

function NewProvider({ onClose }: { onClose(): void }) {
  const words = useWords();
  const own = useProviderWords();
  const { language } = usePreferences();
  const [, navigate] = useLocation();
  const [id, setId] = useState('');
  const [vendor, setVendor] = useState('openai');
  const [key, setKey] = useState('');
  const [url, setUrl] = useState('');
  const create = useChange<typeof createProvider>('POST /api/admin/providers', {
    quiet: true,
    stale: STALE,
    // What it can serve is the next thing that anybody asks.
    done: ({ id: made }) => navigate(`/operator/providers/${encodeURIComponent(made)}/offer`),
  });
  return (
    <Dialog
      title={words.newProvider}
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={id.trim() === '' || (vendor === COMPATIBLE && url.trim() === '') || create.isPending}
          onAct={() =>
            create.mutate({
              body: {
                id: id.trim(),
                ...(vendor === COMPATIBLE ? { protocol: 'openai-chat' as const } : { vendor }),
                ...(key === '' ? {} : { api_key: key }),
                ...(url.trim() === '' ? {} : { base_url: url.trim() }),
              },
            })
          }
        >
          {words.makeProvider}
        </DialogActs>
      }
    >
      <TextField label={words.id} hint={words.providerIdHint} value={id} onChange={setId} dir="ltr" />
      <SelectField
        label={words.vendor}
        value={vendor}
        onChange={setVendor}
        options={[
          ...VENDOR_NAMES.map(([one, name]) => [one, name[language]] as const),
          [COMPATIBLE, own.compatible] as const,
        ]}
      />
      <SecretField label={words.apiKey} hint={words.secretHint} value={key} onChange={setKey} />
      <TextField
        label={words.baseUrl}
        hint={words.baseUrlHint}
        value={url}
        onChange={setUrl}
        dir="ltr"
        placeholder="https://"
      />
      {create.error !== null && <p className="bad">{create.error.message}</p>}
    </Dialog>
  );
}
