/** The three ways in which credit by hand of former times gets its paper. */

import type { listUndocumented } from '@dargah/api/admin/bills.ts';
import type { bookDocument } from '@dargah/api/admin/documents.ts';
import { useState } from 'react';
import type { Result } from '../../../api/call.ts';
import { useChange } from '../../../api/read.ts';
import { Dialog, DialogActs } from '../../../parts/dialog.tsx';
import { Amount } from '../../../parts/figures.tsx';
import { AreaField, SelectField } from '../../../parts/form.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { useBanks } from '../settlement/opening.tsx';
import { useDocumentTexts } from './texts.ts';

type Entry = Result<typeof listUndocumented>['data'][number];
export const DOCUMENT_STALE = ['GET /api/admin/documents', 'GET /api/admin/undocumented', 'GET /api/admin/open-items'];

export function ClearDialog({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const texts = useDocumentTexts();
  const toast = useToast();
  const banks = useBanks();
  const [as, setAs] = useState<keyof typeof texts.asOptions>('bank');
  const [bank, setBank] = useState<string>();
  const [note, setNote] = useState('');
  const book = useChange<typeof bookDocument>('POST /api/admin/documents', {
    quiet: true,
    stale: DOCUMENT_STALE,
    done() {
      toast({ text: texts.added });
      onClose();
    },
  });
  const send = () =>
    book.mutate({
      body: {
        // The id is made once, so pressing twice makes one document.
        id: entry.id.replaceAll(/[^A-Za-z0-9._-]/g, '-').slice(0, 100),
        kind: 'documented',
        amount: entry.amount,
        entry: entry.id,
        ...(as === 'bank' ? (bank === undefined ? {} : { bank }) : { as }),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      },
    });
  return (
    <Dialog
      title={texts.clearTitle}
      onClose={onClose}
      footer={
        <DialogActs disabled={book.isPending} onAct={send} onClose={onClose}>
          {texts.book}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <p className="mid">{texts.undocumentedText}</p>
        <p>
          <Amount value={entry.amount} unit />
        </p>
        <SelectField
          label={texts.fields.as}
          value={as}
          onChange={(next) => setAs(next as typeof as)}
          options={Object.entries(texts.asOptions)}
        />
        {as === 'bank' && banks.length > 1 && (
          <SelectField
            label={texts.fields.bank}
            value={bank ?? banks[0]?.[0] ?? ''}
            onChange={setBank}
            options={banks}
          />
        )}
        <AreaField label={texts.fields.note} dir="auto" value={note} onChange={setNote} error={book.error?.message} />
      </div>
    </Dialog>
  );
}
