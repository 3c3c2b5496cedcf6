/** Credit or an adjustment, with its reason. */
import { useState } from 'react';
import type { transferCredit } from '../../../../server/src/http/admin/routes/credit.ts';
import { errorAt, useChange } from '../../api/read.ts';
import { Form, NumberField, SelectField, TextField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';

export function Credit({ id }: { id: string }) {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const mayGive = useStaffMay<typeof transferCredit>(['owner', 'finance']);
  const [kind, setKind] = useState('top-up');
  const [amount, setAmount] = useState<string | null>(null);
  const [note, setNote] = useState('');
  // The same until it is known to be done: whoever presses again because no answer came gives nothing twice.
  const [transfer, setTransfer] = useState(newTransfer);
  const give = useChange<typeof transferCredit>('POST /api/admin/accounts/:id/transfers', {
    quiet: true,
    stale: [
      'GET /api/admin/accounts/:id/wallet',
      'GET /api/admin/accounts/:id/transfers',
      'GET /api/admin/transfers',
      'GET /api/admin/audit',
    ],
    done() {
      setAmount(null);
      setNote('');
      setTransfer(newTransfer());
      toast({ text: texts.given });
    },
  });
  if (!mayGive)
    return (
      <div className="pad stack s">
        <h2>{texts.credit}</h2>
        <WhoMay<typeof transferCredit> roles={['owner', 'finance']} />
      </div>
    );
  return (
    <Form
      className="pad stack m"
      label={texts.credit}
      onSubmit={() => {
        if (amount === null) return;
        give.mutate({
          params: { id },
          body: {
            id: transfer,
            kind: kind as 'top-up' | 'adjustment' | 'refund',
            amount,
            note: note.trim(),
          },
        });
      }}
    >
      <h2>{texts.credit}</h2>
      <p className="mid xs">{texts.creditText}</p>
      <SelectField label={texts.kind} value={kind} onChange={setKind} options={Object.entries(texts.kinds)} />
      <NumberField
        label={texts.amount}
        unit={shared.toman}
        name="amount"
        signed={kind === 'adjustment'}
        value={amount}
        onChange={setAmount}
        error={errorAt(give.error, 'amount')}
      />
      <TextField
        label={texts.reason}
        name="reason"
        value={note}
        onChange={setNote}
        dir="auto"
        error={give.error?.message}
      />
      <div className="row">
        <button type="submit" className="btn" disabled={amount === null || note.trim().length < 3 || give.isPending}>
          {texts.give}
        </button>
      </div>
    </Form>
  );
}

function newTransfer(): string {
  return `console-${crypto.randomUUID()}`;
}
