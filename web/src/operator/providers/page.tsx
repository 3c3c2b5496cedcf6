/** Providers: their keys (written, never shown), their state, on and off. */
import { useState } from 'react';
import type {
  changeProvider,
  createProvider,
  listProviders,
} from '../../../../server/src/http/admin/routes/providers.ts';
import type { getRouteHealth } from '../../../../server/src/http/admin/routes/service.ts';
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
import { labelOf } from '../../texts/dictionary.tsx';
import { useBookTexts } from '../book-texts.ts';
import { useStaffMay } from '../may.ts';
import { RouteHealth } from '../overview/page.tsx';
import { useSayTurned } from '../say-turned.ts';
import { useTexts } from '../texts.ts';
import { ProviderDrawer, STALE } from './provider.tsx';

export default function ProvidersPage() {
  const texts = useTexts();
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
        <section className="panel" aria-label={texts.nav.providers}>
          <Table
            label={texts.nav.providers}
            rows={read.data?.data}
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
                cell: ({ id, present, enabled }) => {
                  const route = broken(id);
                  if (!enabled) return <Pill tone="off">{texts.off}</Pill>;
                  if (!present) return <Pill tone="bad">{texts.providerGone}</Pill>;
                  if (route !== undefined)
                    return (
                      <Pill tone={route.state === 'open' ? 'bad' : 'warn'}>
                        {route.cause === null ? texts.openState : (labelOf(causes, route.cause) ?? route.cause)}
                      </Pill>
                    );
                  return <Pill tone="ok">{texts.closedState}</Pill>;
                },
              },
              { id: 'url', head: texts.baseUrl, spare: true, cell: ({ base_url: url }) => <Id value={url} /> },
              {
                id: 'on',
                head: texts.on,
                fold: 'c2',
                // What the configuration file decides could only be refused here.
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

function NewProvider({ onClose }: { onClose(): void }) {
  const texts = useTexts();
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
      title={texts.newProvider}
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
          {texts.makeProvider}
        </DialogActs>
      }
    >
      <TextField label={texts.id} hint={texts.providerIdHint} value={id} onChange={setId} dir="ltr" />
      <TextField label={texts.vendor} value={vendor} onChange={setVendor} dir="ltr" />
      <SecretField label={texts.apiKey} hint={texts.secretHint} value={key} onChange={setKey} />
      <TextField
        label={texts.baseUrl}
        hint={texts.baseUrlHint}
        value={url}
        onChange={setUrl}
        dir="ltr"
        placeholder="https://"
      />
      {create.error !== null && <p className="bad">{create.error.message}</p>}
    </Dialog>
  );
}
