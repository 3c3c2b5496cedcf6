/** A new ticket, or the request for a higher limit. */

import type { openTicket } from '@dargah/api/console/tickets.ts';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { useChange } from '../../api/read.ts';
import { type Attached, AttachField } from '../../parts/attach.tsx';
import { ACCOUNT_LIMITS, useLimitName } from '../../parts/declared.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { AreaField, NumberField, SelectField, TextField } from '../../parts/form.tsx';
import { ListInput } from '../../parts/list-input.tsx';
import { useToast } from '../../parts/toast.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import type { OwnTicket } from './conversation.tsx';
import { STALE } from './states.ts';
import { useTexts } from './texts.ts';

export function NewTicket({ onClose }: { onClose(id?: string): void }) {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const nameOf = useLimitName();
  const address = useAddress();
  const raising = new URLSearchParams(location.search).has('raise');
  const [category, setCategory] = useState(
    raising ? 'limits' : address.get('request') === undefined ? 'general' : 'technical',
  );
  const [subject, setSubject] = useState('');
  const [text, setText] = useState('');
  const [requests, setRequests] = useState<string[] | null>(
    address.get('request') === undefined ? null : [address.get('request') ?? ''],
  );
  const [files, setFiles] = useState<Attached[]>([]);
  const [which, setWhich] = useState('rpm');
  const [wanted, setWanted] = useState<string | null>(null);
  const open = useChange<typeof openTicket>('POST /api/console/tickets', {
    stale: STALE,
    done(ticket) {
      toast({ text: texts.opened });
      onClose(ticket.id);
    },
  });
  const wish =
    category !== 'limits' || wanted === null
      ? {}
      : { wish: { rules: which === 'rpm' ? { rpm: Math.round(Number(wanted)) } : { caps: { [which]: wanted } } } };
  const submit = () =>
    open.mutate({
      body: {
        category: category as OwnTicket['category'],
        subject: subject.trim() === '' ? (labelOf(texts.categories, category) ?? category) : subject.trim(),
        text: text.trim(),
        ...(requests === null ? {} : { request_ids: requests }),
        ...(files.length === 0 ? {} : { attachments: files }),
        ...wish,
      },
    });
  return (
    <Dialog
      title={texts.open}
      wide
      onClose={() => onClose()}
      footer={
        <>
          <button type="button" className="btn" onClick={() => onClose()}>
            {shared.cancel}
          </button>
          <button type="submit" form="new-ticket" className="btn main" disabled={text.trim() === '' || open.isPending}>
            {texts.send}
          </button>
        </>
      }
    >
      <form
        id="new-ticket"
        className="stack gap-m"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <SelectField
          label={texts.category}
          value={category}
          onChange={setCategory}
          options={Object.entries(texts.categories)}
        />
        {category === 'limits' && (
          <div className="columns">
            <SelectField
              label={texts.which}
              value={which}
              onChange={setWhich}
              options={Object.keys(ACCOUNT_LIMITS).map((limit) => [limit, nameOf(limit)])}
            />
            <NumberField
              label={texts.wanted}
              value={wanted}
              onChange={setWanted}
              {...(which === 'rpm' ? {} : { unit: shared.toman })}
            />
          </div>
        )}
        <TextField label={texts.subject} value={subject} onChange={setSubject} dir="auto" maxLength={200} />
        <AreaField label={texts.text} value={text} onChange={setText} />
        <div className="field">
          <span className="label">{texts.requests}</span>
          <ListInput label={texts.requests} placeholder={texts.requestsHint} values={requests} onChange={setRequests} />
        </div>
        <AttachField
          files={files}
          onChange={setFiles}
          label={texts.attach}
          hint={texts.attachHint}
          tooLarge={texts.tooLarge}
        />
      </form>
    </Dialog>
  );
}
