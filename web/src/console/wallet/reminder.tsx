/** "Remind me with a payment link": at which balance, to pay what, told where. */

import type { getTopUpReminder, setTopUpReminder } from '@dargah/api/console/wallet.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { Check, Form, NumberField, Toggle } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { useReminderTexts } from './reminder-texts.ts';

type Reminder = Result<typeof getTopUpReminder>;
const ADDRESS = 'GET /api/console/wallet/reminder';
const CHANNELS = ['console', 'email', 'sms', 'webhook'] as const;

export function TopUpReminder() {
  const read = useRead<typeof getTopUpReminder>(ADDRESS, {});
  if (read.data === undefined) return null;
  return <ReminderForm key={JSON.stringify(read.data)} known={read.data} />;
}

function ReminderForm({ known }: { known: Reminder }) {
  const own = useReminderTexts();
  const shared = useShared();
  const toast = useToast();
  const [below, setBelow] = useState<string | null>(known.below);
  const [amount, setAmount] = useState<string | null>(known.amount);
  const [channels, setChannels] = useState(known.channels);
  const save = useChange<typeof setTopUpReminder>('PUT /api/console/wallet/reminder', {
    quiet: true,
    stale: [ADDRESS, 'GET /api/console/alerts/rules'],
    done: () => toast({ text: shared.saved }),
  });
  const send = (enabled: boolean) => {
    if (below !== null && amount !== null && channels.length > 0)
      save.mutate({ body: { enabled, below, amount, channels } });
  };
  const isKnown = ['below', 'amount'].some((field) => errorAt(save.error, field) !== undefined);
  return (
    <Form label={own.title} onSubmit={() => send(true)}>
      <h2>{own.title}</h2>
      <p className="mid text">{own.lead}</p>
      <Toggle checked={known.enabled} disabled={save.isPending} onChange={send}>
        {own.on}
      </Toggle>
      {known.enabled && (
        <>
          <div className="columns">
            <NumberField
              label={own.below}
              unit={shared.toman}
              name="reminder_below"
              value={below}
              onChange={setBelow}
              error={errorAt(save.error, 'below')}
            />
            <NumberField
              label={own.amount}
              unit={shared.toman}
              name="reminder_amount"
              value={amount}
              onChange={setAmount}
              error={errorAt(save.error, 'amount')}
            />
          </div>
          <fieldset className="row">
            <legend className="label">{own.channels}</legend>
            {CHANNELS.map((channel) => (
              <Check
                key={channel}
                checked={channels.includes(channel)}
                onChange={(isOn) =>
                  setChannels((before) => (isOn ? [...before, channel] : before.filter((one) => one !== channel)))
                }
              >
                {own.names[channel]}
              </Check>
            ))}
          </fieldset>
          <div className="row">
            <button
              type="submit"
              className="btn"
              disabled={below === null || amount === null || channels.length === 0 || save.isPending}
            >
              {shared.save}
            </button>
          </div>
        </>
      )}
      {save.error !== null && !isKnown && <p className="bad">{save.error.message}</p>}
    </Form>
  );
}
