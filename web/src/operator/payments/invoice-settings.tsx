/** The seller and the tax that orders and invoices show from now on. */

import type { changeInvoiceSettings, getInvoiceSettings } from '@dargah/api/admin/invoicing.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { CommitBar, NumberField, SelectField, TextField, Toggle } from '../../parts/form.tsx';
import { Note, Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTexts as useWalletTexts } from '../../texts/wallet-texts.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useInvoiceTexts } from './invoice-texts.ts';

type Settings = Result<typeof getInvoiceSettings>;
type Party = NonNullable<Settings['seller']>;
type Draft = Partial<Pick<Settings, 'vat_percent' | 'pause_on_chargeback'>> & { seller?: Party };

const NOBODY: Party = {
  kind: 'company',
  name: '',
  national_id: null,
  economic_code: null,
  registration_number: null,
  postal_code: null,
  address: null,
  phone: null,
};

export function InvoiceSettings() {
  const texts = useInvoiceTexts();
  const read = useRead<typeof getInvoiceSettings>('GET /api/admin/invoice-settings', {});
  return (
    <Panel title={texts.title}>
      {read.error !== null && read.data === undefined && (
        <Trouble error={read.error} again={() => void read.refetch()} />
      )}
      {read.data !== undefined && (
        <ChangedBy<typeof changeInvoiceSettings> roles={['owner', 'finance']}>
          <SettingsForm settings={read.data} />
        </ChangedBy>
      )}
    </Panel>
  );
}

function SettingsForm({ settings }: { settings: Settings }) {
  const texts = useInvoiceTexts();
  const shared = useShared();
  const toast = useToast();
  const [draft, setDraft] = useState<Draft>({});
  const save = useChange<typeof changeInvoiceSettings>('PATCH /api/admin/invoice-settings', {
    stale: ['GET /api/admin/invoice-settings'],
    quiet: true,
    done() {
      setDraft({});
      toast({ text: shared.saved });
    },
  });
  const change = (next: Draft) => setDraft((before) => ({ ...before, ...next }));
  return (
    <>
      {settings.seller === null && <Note tone="warn">{texts.noSeller}</Note>}
      <div className="cut pair-cut">
        <SellerFields
          seller={draft.seller ?? settings.seller ?? NOBODY}
          error={save.error}
          onChange={(seller) => change({ seller })}
        />
        <div className="pad stack gap-m">
          <NumberField
            label={texts.vat}
            hint={texts.vatHint}
            name="vat_percent"
            unit={shared.percentSign}
            value={draft.vat_percent ?? settings.vat_percent}
            onChange={(next) => change({ vat_percent: next ?? '0' })}
            error={errorAt(save.error, 'vat_percent')}
          />
          <div className="stack gap-s">
            <Toggle
              checked={draft.pause_on_chargeback ?? settings.pause_on_chargeback}
              onChange={(next) => change({ pause_on_chargeback: next })}
            >
              {texts.pause}
            </Toggle>
            <p className="xs dim">{texts.pauseHint}</p>
          </div>
        </div>
      </div>
      {Object.keys(draft).length > 0 && (
        <CommitBar busy={save.isPending} onReset={() => setDraft({})} onSave={() => save.mutate({ body: draft })}>
          {save.error === null ? shared.unsaved : save.error.message}
        </CommitBar>
      )}
    </>
  );
}

function SellerFields({
  seller,
  error,
  onChange,
}: {
  seller: Party;
  error: Error | null;
  onChange(next: Party): void;
}) {
  const texts = useInvoiceTexts();
  const { identity } = useWalletTexts();
  const text = (field: Exclude<keyof Party, 'kind' | 'name'>, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      name={field}
      dir={field === 'address' ? 'auto' : 'ltr'}
      value={seller[field] ?? ''}
      onChange={(next) => onChange({ ...seller, [field]: next === '' ? null : next })}
      error={errorAt(error, field) ?? errorAt(error, `seller.${field}`)}
    />
  );
  return (
    <div className="pad stack gap-m">
      <SelectField
        label={texts.seller}
        value={seller.kind}
        onChange={(kind) => onChange({ ...seller, kind: kind as Party['kind'] })}
        options={[
          ['company', identity.company],
          ['person', identity.person],
        ]}
      />
      <TextField
        label={identity.name}
        name="seller_name"
        dir="auto"
        value={seller.name}
        onChange={(name) => onChange({ ...seller, name })}
        error={errorAt(error, 'name') ?? errorAt(error, 'seller.name')}
      />
      {text('national_id', identity.nationalId, identity.nationalIdHint)}
      {text('economic_code', identity.economicCode)}
      {seller.kind === 'company' && text('registration_number', identity.registration)}
      {text('postal_code', identity.postal)}
      {text('phone', identity.phone)}
      {text('address', identity.address)}
    </div>
  );
}
