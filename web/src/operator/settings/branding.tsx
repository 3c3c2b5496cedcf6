/** The name, colour, picture and support contacts of the service, as customers see them. */

import type { changeBranding, getBranding, removeLogo, setLogo } from '@dargah/api/admin/branding.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { CommitBar, Field, NumberField, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { vars } from '../../parts/meter.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useServiceTexts } from './service-texts.ts';

type Brand = Result<typeof getBranding>;
const STALE = ['GET /api/admin/branding'];
const TEXTS = ['name_fa', 'name_en', 'support_phone', 'support_email', 'support_address'] as const;
const MAX_BYTES = 128 * 1024;

export function Branding() {
  const texts = useServiceTexts();
  const brand = useRead<typeof getBranding>('GET /api/admin/branding', {}).data;
  return (
    <Panel title={texts.branding}>
      {brand !== undefined && (
        <ChangedBy<typeof changeBranding> roles={['owner']}>
          <BrandForm key={brand.logo} brand={brand} />
        </ChangedBy>
      )}
    </Panel>
  );
}

function BrandForm({ brand }: { brand: Brand }) {
  const texts = useServiceTexts();
  const shared = useShared();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<Brand>>({});
  const value = { ...brand, ...draft };
  const save = useChange<typeof changeBranding>('PATCH /api/admin/branding', {
    stale: STALE,
    quiet: true,
    done() {
      setDraft({});
      toast({ text: texts.seenAfterReload });
    },
  });
  const change = (next: Partial<Brand>) => setDraft((before) => ({ ...before, ...next }));
  return (
    <>
      <div className="cut pair-cut">
        <div className="pad stack gap-m">
          {TEXTS.map((field) => (
            <TextField
              key={field}
              label={texts.fields[field]}
              name={field}
              dir={field === 'name_fa' ? 'rtl' : 'ltr'}
              value={value[field] ?? ''}
              onChange={(next) => change({ [field]: next === '' ? null : next })}
              error={errorAt(save.error, field)}
            />
          ))}
        </div>
        <div className="pad stack gap-m">
          <NumberField
            label={texts.hue}
            hint={texts.hueHint}
            name="hue"
            value={value.hue === null ? null : String(value.hue)}
            onChange={(next) => change({ hue: next === null ? null : Math.min(359, Math.round(Number(next))) })}
            error={errorAt(save.error, 'hue')}
          />
          <span className="hue" style={vars({ '--h': String(value.hue ?? 208) })} aria-hidden="true" />
          <Picture logo={brand.logo} />
        </div>
      </div>
      {Object.keys(draft).length > 0 && (
        <CommitBar
          busy={save.isPending}
          onReset={() => setDraft({})}
          onSave={() => save.mutate({ body: draft as Record<string, never> })}
        >
          {save.error === null ? shared.unsaved : save.error.message}
        </CommitBar>
      )}
    </>
  );
}

function Picture({ logo }: { logo: string | null }) {
  const texts = useServiceTexts();
  const toast = useToast();
  const maySet = useStaffMay<typeof setLogo>(['owner']);
  const done = () => toast({ text: texts.seenAfterReload });
  const set = useChange<typeof setLogo>('PUT /api/admin/branding/logo', { stale: STALE, done });
  const remove = useChange<typeof removeLogo>('DELETE /api/admin/branding/logo', { stale: STALE, done });
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) {
      toast({ tone: 'bad', text: texts.tooLarge });
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    set.mutate({ body: { image: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) } });
  };
  return (
    <Field label={texts.logo} hint={texts.logoHint}>
      {(ids) => (
        <div className="row">
          {logo !== null && <img className="logo-shown" src={logo} alt={texts.logo} />}
          <label className="btn" htmlFor={ids.id} hidden={!maySet}>
            <Icon name="upload" />
            {texts.chooseLogo}
          </label>
          <input
            {...ids}
            className="vh"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            onChange={(event) => void choose(event.target.files?.[0])}
          />
          {logo !== null && (
            <button type="button" className="btn small" onClick={() => remove.mutate({})}>
              {texts.ownMark}
            </button>
          )}
        </div>
      )}
    </Field>
  );
}
