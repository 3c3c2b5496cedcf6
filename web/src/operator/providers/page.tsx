/** Providers: their keys (written, never shown), their state, on and off. */

import type { changeProvider, createProvider, listProviders } from '@dargah/api/admin/providers.ts';
import type { getRouteHealth } from '@dargah/api/admin/service.ts';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { useChange, useRead } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { SecretField, TextField, Toggle } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useBookWords } from '../book-words.ts';
import { useStaffMay } from '../may.ts';
import { RouteHealth } from '../overview/page.tsx';
import { useSayTurned } from '../say-turned.ts';
import { useWords } from '../words.ts';
import { ProviderDrawer, STALE } from './provider.tsx';

export default function ProvidersPage() {
  const words = useWords();
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
        <section className="panel" aria-label={words.nav.providers}>
          <Table
            label={words.nav.providers}
            rows={read.data?.data}
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
                cell: ({ id, present, enabled }) => {
                  const route = broken(id);
                  if (!enabled) return <Pill tone="off">{words.off}</Pill>;
                  if (!present) return <Pill tone="bad">{words.providerGone}</Pill>;
                  if (route !== undefined)
                    return (
                      <Pill tone={route.state === 'open' ? 'bad' : 'warn'}>
                        {route.cause === null ? words.openState : (wordOf(causes, route.cause) ?? route.cause)}
                      </Pill>
                    );
                  return <Pill tone="ok">{words.closedState}</Pill>;
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

function NewProvider({ onClose }: { onClose(): void }) {
  const words = useWords();
  const [id, setId] = useState('');
  const [vendor, setVendor] = useState('openai');
  const [key, setKey] = useState('');
  const [url, setUrl] = useState('');
  const create = useChange<typeof createProvider>('POST /api/admin/providers', {
    quiet: true,
    stale: STALE,
    done: onClose,
  });
  return (
    <Dialog
      title={words.newProvider}
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={id.trim() === '' || create.isPending}
          onAct={() =>
            create.mutate({
              body: {
                id: id.trim(),
                vendor: vendor.trim(),
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
      <TextField label={words.vendor} value={vendor} onChange={setVendor} dir="ltr" />
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
