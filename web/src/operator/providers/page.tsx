/** Providers: their keys (written, never shown), their state, on and off. */

import type { changeProvider, createProvider, listProviders } from '@dargah/api/admin/providers.ts';
import type { getRouteHealth } from '@dargah/api/admin/service.ts';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { useChange, useRead } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Toggle } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useBookTexts } from '../book-texts.ts';
import { useStaffMay } from '../may.ts';
import { useRouteTexts } from '../models/route-texts.ts';
import { StatePill } from '../models/state-acts.tsx';
import { RouteHealth } from '../overview/page.tsx';
import { useSayTurned } from '../say-turned.ts';
import { useTexts } from '../texts.ts';
import { NewProvider } from './new-provider.tsx';
import { type Provider, STALE } from './own-provider.ts';
import { ProviderDrawer } from './provider.tsx';

export default function ProvidersPage() {
  const texts = useTexts();
  const routeWords = useRouteTexts();
  const { causes } = useBookTexts();
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
      <PageHead title={texts.nav.providers}>
        {mayMake && (
          <button type="button" className="btn" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            {texts.newProvider}
          </button>
        )}
      </PageHead>
      <div className="stack">
        {read.data?.data.some(({ state }) => state === 'retired') && (
          <Toggle checked={retiredToo} onChange={(on) => address.set({ retired: on ? '1' : undefined })}>
            {routeWords.showRetired}
          </Toggle>
        )}
        <section className="panel" aria-label={texts.nav.providers}>
          <Table
            label={texts.nav.providers}
            rows={rows}
            idOf={({ id }) => id}
            selected={editing}
            onOpen={({ id }) => address.set({ provider: id })}
            empty={<Empty title={texts.noProviders} text={texts.noProvidersText} />}
            columns={[
              { id: 'id', head: texts.id, fold: 'c1', cell: ({ id }) => <Id value={id} /> },
              { id: 'vendor', head: texts.vendor, fold: 'c3', cell: ({ vendor }) => <Id value={vendor} /> },
              {
                id: 'state',
                head: texts.state,
                fold: 'c4',
                cell: (provider) => {
                  const { id, present, enabled, state } = provider;
                  const route = broken(id);
                  if (!enabled) return <StatePill state={state} />;
                  if (!present) return <Pill tone="bad">{texts.providerGone}</Pill>;
                  if (route !== undefined)
                    return (
                      <Pill tone={route.state === 'open' ? 'bad' : 'warn'}>
                        {route.cause === null ? texts.openState : (labelOf(causes, route.cause) ?? route.cause)}
                      </Pill>
                    );
                  return <Wellness provider={provider} />;
                },
              },
              { id: 'url', head: texts.baseUrl, spare: true, cell: ({ base_url: url }) => <Id value={url} /> },
              {
                id: 'on',
                head: texts.on,
                fold: 'c2',
                // A value set by the configuration file could only be refused here.
                cell: ({ id, enabled, managed_by: by }) => (
                  <span title={by === 'config' ? texts.fixedByFile : undefined}>
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

/** Shown as healthy only after a call or a test that passed: before that it is unknown. */
function Wellness({ provider }: { provider: Provider }) {
  const texts = useTexts();
  const own = useRouteTexts();
  const { last_used_at: used, tested_ok: tested, transport } = provider;
  if (used !== null || transport === 'sandbox') return <Pill tone="ok">{texts.closedState}</Pill>;
  if (tested === null) return <Pill tone="off">{own.notUsed}</Pill>;
  return <Pill tone={tested ? 'ok' : 'bad'}>{tested ? own.tested : own.testFailed}</Pill>;
}
