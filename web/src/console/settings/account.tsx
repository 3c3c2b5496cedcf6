/** The account: name, calendar, whether texts are stored, the export, and closing it. */

import type { changeOwnAccount, closeAccount, exportAccount, getOwnAccount } from '@dargah/api/console/account.ts';
import { PROMPT_LOGGING_FIELDS } from '@dargah/core/fields/prompt-logging.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchFile, type Result } from '../../api/call.ts';
import { errorAt, useChange, useRead, useSayRefusal } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Form, NumberField, SelectField, TextField, Toggle } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { download } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useTexts } from '../../texts/settings-texts.ts';
import { useShared } from '../../texts/shared.ts';

type Account = Result<typeof getOwnAccount>;

export function AccountSettings() {
  const read = useRead<typeof getOwnAccount>('GET /api/console/account', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <Skeleton shape="form" />;
  return (
    <div className="stack">
      <General account={read.data} />
      <Prompts account={read.data} />
      <End account={read.data} />
    </div>
  );
}

function useSave() {
  const shared = useShared();
  const toast = useToast();
  return useChange<typeof changeOwnAccount>('PATCH /api/console/account', {
    stale: ['GET /api/console/account', 'GET /api/console/me'],
    done: () => toast({ text: shared.saved }),
  });
}

function General({ account }: { account: Account }) {
  const texts = useTexts();
  const shared = useShared();
  const save = useSave();
  const [name, setName] = useState(account.name);
  const [month, setMonth] = useState<string>(account.calendar.month ?? 'jalali');
  const [zone, setZone] = useState(account.calendar.time_zone ?? 'Asia/Tehran');
  const zones = Intl.supportedValuesOf('timeZone');
  return (
    <Panel title={texts.tabs['account']}>
      <Form
        className="pad stack gap-m narrow-form"
        onSubmit={() =>
          save.mutate({
            body: { name: name.trim(), calendar: { month: month as 'jalali' | 'gregorian', time_zone: zone } },
          })
        }
      >
        <TextField
          label={texts.accountName}
          value={name}
          onChange={setName}
          dir="auto"
          error={errorAt(save.error, 'name')}
        />
        <SelectField
          label={texts.calendar}
          hint={texts.calendarHint}
          value={month}
          onChange={setMonth}
          options={[
            ['jalali', texts.jalali],
            ['gregorian', texts.gregorian],
          ]}
        />
        <SelectField
          label={texts.zone}
          dir="ltr"
          value={zone}
          onChange={setZone}
          options={[...new Set([zone, ...zones])].map((id) => [id, id] as const)}
        />
        <div className="row">
          <button type="submit" className="btn main" disabled={name.trim() === '' || save.isPending}>
            {shared.save}
          </button>
        </div>
      </Form>
    </Panel>
  );
}

function Prompts({ account }: { account: Account }) {
  const texts = useTexts();
  const shared = useShared();
  const save = useSave();
  const [enabled, setEnabled] = useState(account.log_prompts.enabled);
  const [days, setDays] = useState<string | null>(String(account.log_prompts.days));
  return (
    <Panel title={texts.prompts}>
      <Form
        className="pad stack gap-m narrow-form"
        label={texts.prompts}
        onSubmit={() =>
          save.mutate({
            body: { log_prompts: { enabled, ...(days === null ? {} : { days: Math.round(Number(days)) }) } },
          })
        }
      >
        <p className="mid text">{texts.promptsText}</p>
        <Toggle checked={enabled} onChange={setEnabled}>
          {texts.prompts}
        </Toggle>
        {enabled && (
          <NumberField
            label={texts.keepDays}
            unit={texts.days}
            bounds={PROMPT_LOGGING_FIELDS.days}
            value={days}
            onChange={setDays}
            error={errorAt(save.error, 'log_prompts')}
          />
        )}
        <div className="row">
          <button type="submit" className="btn" disabled={save.isPending}>
            {shared.save}
          </button>
        </div>
      </Form>
    </Panel>
  );
}

function End({ account }: { account: Account }) {
  const texts = useTexts();
  const format = useFormat();
  const toast = useToast();
  const say = useSayRefusal();
  const client = useQueryClient();
  const [bytes, setBytes] = useState<number>();
  const exporting = bytes !== undefined;
  const [asking, setAsking] = useState(false);
  const close = useChange<typeof closeAccount>('POST /api/console/account/close', {
    done(answer) {
      toast({ text: texts.closed(format.money(answer.balance_left)) });
      void client.resetQueries();
    },
  });
  const take = async () => {
    setBytes(0);
    try {
      download(
        `dargah-${account.id}.ndjson`,
        await fetchFile<typeof exportAccount>('GET /api/console/account/export', {}, setBytes),
      );
    } catch (error) {
      say(error);
    } finally {
      setBytes(undefined);
    }
  };
  return (
    <Panel title={texts.danger}>
      <div className="pad stack gap-m">
        <p className="mid text">{texts.exportText}</p>
        <div className="row">
          <button type="button" className="btn" disabled={exporting} onClick={() => void take()}>
            <Icon name="save" />
            {exporting ? texts.exporting : texts.export}
          </button>
          {account.role === 'owner' && (
            <button type="button" className="btn danger" onClick={() => setAsking(true)}>
              {texts.close}
            </button>
          )}
        </div>
        {exporting && (
          <div className="stack gap-s">
            <output className="xs mid">{format.bytes(bytes)}</output>
            <progress className="bar-progress" aria-label={texts.exporting} />
          </div>
        )}
      </div>
      {asking && (
        <Confirm
          title={texts.closeAsk(account.name)}
          act={texts.closeAct}
          typed={account.name}
          busy={close.isPending}
          onConfirm={() => close.mutate({ body: { confirm: account.name } })}
          onClose={() => setAsking(false)}
        >
          <p>{texts.closeText}</p>
        </Confirm>
      )}
    </Panel>
  );
}
