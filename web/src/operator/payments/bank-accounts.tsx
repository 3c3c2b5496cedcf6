/** The operator's bank accounts: where transfers come to and refunds by hand leave. Each is a book of its own. */

import type { changeInvoiceSettings, getInvoiceSettings } from '@dargah/api/admin/invoicing.ts';
import { useState } from 'react';
import { useChange, useRead } from '../../api/read.ts';
import { CommitBar, TextField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useInvoiceTexts } from './invoice-texts.ts';

interface Row {
  id: string;
  name: string;
  iban: string;
  holder: string;
}

export function BankAccounts() {
  const texts = useInvoiceTexts();
  const read = useRead<typeof getInvoiceSettings>('GET /api/admin/invoice-settings', {});
  if (read.data === undefined) return null;
  const stored = read.data.bank_accounts.map(({ id, name, iban, holder }) => ({
    id,
    name,
    iban: iban ?? '',
    holder: holder ?? '',
  }));
  return (
    <Panel title={texts.banks}>
      <ChangedBy<typeof changeInvoiceSettings> roles={['owner', 'finance']}>
        <BankForm key={JSON.stringify(stored)} stored={stored} />
      </ChangedBy>
    </Panel>
  );
}

function BankForm({ stored }: { stored: Row[] }) {
  const texts = useInvoiceTexts();
  const shared = useShared();
  const toast = useToast();
  const [rows, setRows] = useState(stored);
  const save = useChange<typeof changeInvoiceSettings>('PATCH /api/admin/invoice-settings', {
    stale: ['GET /api/admin/invoice-settings'],
    quiet: true,
    done: () => toast({ text: shared.saved }),
  });
  const change = (at: number, next: Partial<Row>) =>
    setRows((before) => before.map((row, index) => (index === at ? { ...row, ...next } : row)));
  const isChanged = JSON.stringify(rows) !== JSON.stringify(stored);
  return (
    <>
      <div className="pad stack gap-m">
        <p className="mid">{texts.banksHint}</p>
        {rows.map((row, at) => (
          // The place is what tells an account that has no id yet.
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end and taken from there
          <div key={at} className="stack gap-s narrow-form">
            <div className="row starts">
              <TextField
                label={texts.bankId}
                hint={at < stored.length ? undefined : texts.bankIdHint}
                name={`bank_id_${at}`}
                dir="ltr"
                value={row.id}
                onChange={(id) => change(at, { id })}
              />
              <div className="grow">
                <TextField
                  label={texts.bankName}
                  name={`bank_name_${at}`}
                  dir="auto"
                  value={row.name}
                  onChange={(name) => change(at, { name })}
                />
              </div>
            </div>
            <TextField
              label={texts.iban}
              name={`bank_iban_${at}`}
              dir="ltr"
              value={row.iban}
              onChange={(iban) => change(at, { iban })}
            />
            <TextField
              label={texts.holder}
              hint={texts.holderHint}
              name={`bank_holder_${at}`}
              dir="auto"
              value={row.holder}
              onChange={(holder) => change(at, { holder })}
            />
          </div>
        ))}
        <div className="row">
          <button
            type="button"
            className="btn small"
            onClick={() => setRows((before) => [...before, { id: '', name: '', iban: '', holder: '' }])}
          >
            {texts.addBank}
          </button>
        </div>
      </div>
      {isChanged && (
        <CommitBar
          busy={save.isPending}
          onReset={() => setRows(stored)}
          onSave={() => save.mutate({ body: { bank_accounts: rows } })}
        >
          {save.error === null ? shared.unsaved : save.error.message}
        </CommitBar>
      )}
    </>
  );
}
