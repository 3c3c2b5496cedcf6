/** Connects a provider: a vendor and its key, or a cloud with the fields of its address. */
import type { createProvider } from '@dargah/api/admin/providers.ts';
import { CLOUD_FORMS, type CloudField } from '@dargah/core/cloud-fields.ts';
import { VENDOR_NAMES } from '@dargah/core/vendor-names.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../api/read.ts';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { SecretField, SelectField, TextField } from '../../parts/form.tsx';
import { usePreferences } from '../../preferences.tsx';
import { useTexts } from '../texts.ts';
import { STALE } from './own-provider.ts';
import { useProviderTexts } from './texts.ts';

const COMPATIBLE = '';

/** The fields of the address; where an address is given itself, they are not sent. */
function placeOf(fields: readonly CloudField[], place: Partial<Record<CloudField, string>>, url: string) {
  const given = url === '' ? fields.filter((field) => (place[field] ?? '').trim() !== '') : [];
  return Object.fromEntries(given.map((field) => [field, (place[field] ?? '').trim()]));
}

export function NewProvider({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const own = useProviderTexts();
  const { language } = usePreferences();
  const [, navigate] = useLocation();
  const [id, setId] = useState('');
  const [vendor, setVendor] = useState('openai');
  const [key, setKey] = useState('');
  const [url, setUrl] = useState('');
  const [place, setPlace] = useState<Partial<Record<CloudField, string>>>({});
  const create = useChange<typeof createProvider>('POST /api/admin/providers', {
    quiet: true,
    stale: STALE,
    // Opens the list of models, which is the next step.
    done: ({ id: made }) => navigate(`/operator/providers/${encodeURIComponent(made)}/offer`),
  });
  const cloud = CLOUD_FORMS[vendor];
  const address = url.trim();
  const given = placeOf(cloud?.fields ?? [], place, address);
  const lacksPlace =
    address === '' &&
    (vendor === COMPATIBLE || cloud?.fields.some((field) => !cloud.optional.includes(field) && !given[field]));
  return (
    <Dialog
      title={texts.newProvider}
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={id.trim() === '' || lacksPlace === true || create.isPending}
          onAct={() =>
            create.mutate({
              body: {
                id: id.trim(),
                ...(vendor === COMPATIBLE ? { protocol: 'openai-chat' as const } : { vendor }),
                ...given,
                ...(key === '' ? {} : { api_key: key }),
                ...(address === '' ? {} : { base_url: address }),
              },
            })
          }
        >
          {texts.makeProvider}
        </DialogActs>
      }
    >
      <TextField label={texts.id} hint={texts.providerIdHint} value={id} onChange={setId} dir="ltr" />
      <SelectField
        label={texts.vendor}
        hint={vendor === 'openai-responses' || vendor === 'azure-openai-responses' ? own.responsesHint : undefined}
        value={vendor}
        onChange={setVendor}
        options={[
          ...VENDOR_NAMES.map(([one, name]) => [one, name[language]] as const),
          [COMPATIBLE, own.compatible] as const,
        ]}
      />
      {cloud?.fields.map((field) => (
        <TextField
          key={field}
          label={own.place[field]}
          hint={own.placeHints[cloud.secret][field]}
          value={place[field] ?? ''}
          onChange={(value) => setPlace({ ...place, [field]: value })}
          dir="ltr"
        />
      ))}
      <SecretField
        label={cloud === undefined ? texts.apiKey : own.cloudKey}
        hint={cloud === undefined ? texts.secretHint : own.cloudKeyHints[cloud.secret]}
        value={key}
        onChange={setKey}
      />
      <TextField
        label={texts.baseUrl}
        hint={cloud === undefined ? texts.baseUrlHint : own.cloudUrlHint}
        value={url}
        onChange={setUrl}
        dir="ltr"
        placeholder="https://"
      />
      {create.error !== null && <p className="bad">{create.error.message}</p>}
    </Dialog>
  );
}
