/** The account's own keys at providers: brought once, never shown again. */
import type {
  addProviderKey,
  changeProviderKey,
  listProviderKeys,
  removeProviderKey,
} from '@dargah/api/console/provider-keys.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AskingButton, Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Check, SecretField, SelectField, Toggle } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useOwnAccount } from '../../session.tsx';
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  title: 'کلیدهای شخصی نزد ارائه‌دهندگان',
  lead: (fee: string) =>
    `اگر نزد ارائه‌دهنده‌ای کلید دارید، درخواست‌های این حساب با همان فرستاده می‌شوند: هزینهٔ مدل را به خود او می‌پردازید و به ما فقط ${fee}٪ قیمت معمول را به‌عنوان کارمزد.`,
  leadFree: 'اگر نزد ارائه‌دهنده‌ای کلید دارید، درخواست‌های این حساب با همان فرستاده می‌شوند و از کیف پول چیزی کم نمی‌شود.',
  add: 'افزودن کلید شخصی',
  provider: 'ارائه‌دهنده',
  secret: 'کلید',
  secretHint: 'اول امتحان می‌شود؛ رمزشده نگه داشته می‌شود و دیگر نشان داده نمی‌شود.',
  fallback: 'اگر این کلید پاسخ نداد، مسیرهای سرویس با قیمت معمول پاسخ دهند',
  fallbackShort: 'اگر پاسخ نداد، مسیرهای سرویس با قیمت معمول',
  unused: 'فعلاً استفاده نمی‌شود',
  remove: 'حذف',
  removeTitle: (name: string) => `کلید «${name}» حذف شود؟`,
  removeText: 'درخواست‌ها از همین لحظه از مسیرهای سرویس و با قیمت معمول می‌روند.',
  added: 'کلید پذیرفته شد.',
};

const en: typeof fa = {
  title: 'Own keys at providers',
  lead: (fee) =>
    `If you have a key at a provider, requests of this account go out with it: you pay the model to the provider, and us only a fee of ${fee}% of the usual price.`,
  leadFree: 'If you have a key at a provider, requests of this account go out with it, and nothing leaves your wallet.',
  add: 'Bring a key',
  provider: 'Provider',
  secret: 'Key',
  secretHint: 'It is tried first, kept encrypted, and never shown again.',
  fallback: 'When this key does not answer, routes of the service answer at the usual price',
  fallbackShort: 'If it fails, routes of the service at the usual price',
  unused: 'Not in use now',
  remove: 'Remove',
  removeTitle: (name) => `Remove the key “${name}”?`,
  removeText: 'From now on requests go by routes of the service, at the usual price.',
  added: 'The key works.',
};

const useOwnTexts = dictionary(fa, en);
type Keys = Result<typeof listProviderKeys>;
const STALE = ['GET /api/console/provider-keys'];

/** Shows nothing where the service takes no own keys and there are none. */
export function ProviderKeys() {
  const texts = useOwnTexts();
  const format = useFormat();
  const role = useOwnAccount()?.role;
  const mayWrite = role === 'owner' || role === 'admin';
  const keys = useRead<typeof listProviderKeys>('GET /api/console/provider-keys', {}).data;
  const [adding, setAdding] = useState(false);
  if (keys === undefined || (!keys.enabled && keys.data.length === 0)) return null;
  const free = keys.providers.filter(({ id }) => keys.data.every((key) => key.provider !== id));
  return (
    <Panel
      title={texts.title}
      aside={
        mayWrite && free.length > 0 ? (
          <button type="button" className="btn small" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            {texts.add}
          </button>
        ) : undefined
      }
    >
      <div className="pad stack gap-m">
        <p className="mid text">
          {keys.fee_percent === 0 ? texts.leadFree : texts.lead(format.number(keys.fee_percent))}
        </p>
        {keys.data.map((key) => (
          <KeyRow key={key.id} value={key} mayWrite={mayWrite} />
        ))}
      </div>
      {adding && <NewProviderKey providers={free} onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function KeyRow({ value, mayWrite }: { value: Keys['data'][number]; mayWrite: boolean }) {
  const texts = useOwnTexts();
  const params = { id: value.id };
  const change = useChange<typeof changeProviderKey>('PATCH /api/console/provider-keys/:id', { stale: STALE });
  const remove = useChange<typeof removeProviderKey>('DELETE /api/console/provider-keys/:id', { stale: STALE });
  return (
    <div className="row between">
      <span className="row">
        <bdi className="strong">{value.name}</bdi>
        <Id value={value.last4 === null ? '…' : `…${value.last4}`} />
        {!value.in_use && <Pill tone="off">{texts.unused}</Pill>}
      </span>
      {mayWrite && (
        <span className="row">
          <Toggle checked={value.fallback} onChange={(fallback) => change.mutate({ params, body: { fallback } })}>
            {texts.fallbackShort}
          </Toggle>
          <AskingButton
            title={texts.removeTitle(value.name)}
            text={texts.removeText}
            onConfirm={() => remove.mutate({ params })}
          >
            {texts.remove}
          </AskingButton>
        </span>
      )}
    </div>
  );
}

function NewProviderKey({ providers, onClose }: { providers: Keys['providers']; onClose(): void }) {
  const texts = useOwnTexts();
  const format = useFormat();
  const toast = useToast();
  const [provider, setProvider] = useState(providers[0]?.id ?? '');
  const [secret, setSecret] = useState('');
  const [fallback, setFallback] = useState(false);
  const add = useChange<typeof addProviderKey>('POST /api/console/provider-keys', {
    stale: STALE,
    quiet: true,
    done() {
      toast({ text: texts.added });
      onClose();
    },
  });
  const fault = errorAt(add.error, 'secret');
  return (
    <Dialog
      title={texts.add}
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={secret.trim() === '' || add.isPending}
          onAct={() => add.mutate({ body: { provider, secret: secret.trim(), fallback } })}
        >
          {texts.add}
        </DialogActs>
      }
    >
      <SelectField
        label={texts.provider}
        value={provider}
        onChange={setProvider}
        options={providers.map(({ id, name }) => [id, name[format.language]] as const)}
      />
      <SecretField label={texts.secret} hint={texts.secretHint} value={secret} onChange={setSecret} error={fault} />
      <Check checked={fallback} onChange={setFallback}>
        {texts.fallback}
      </Check>
      {add.error !== null && fault === undefined && <p className="bad">{add.error.message}</p>}
    </Dialog>
  );
}
