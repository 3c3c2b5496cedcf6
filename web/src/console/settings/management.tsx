/** Management keys: for scripts, with exactly the access they need. */

import type {
  createManagementKey,
  listManagementKeys,
  revokeManagementKey,
} from '@dargah/api/console/management-keys.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { CopyButton, Id } from '../../parts/copyable.tsx';
import { AskingButton, Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ListInput } from '../../parts/list-input.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useAccessTexts } from '../../texts/access-texts.ts';
import { labelOf } from '../../texts/dictionary.tsx';
import { useTexts } from '../../texts/settings-texts.ts';

/** From here on the list warns; notices begin with the first of these days by default too. */
const SOON_MS = 7 * 86_400_000;
const LIVES = ['7', '30', '90', '365'];
type Key = Result<typeof listManagementKeys>['data'][number];
const STALE = ['GET /api/console/management-keys'];

export function ManagementKeys() {
  const texts = useTexts();
  const names = useAccessTexts();
  const [making, setMaking] = useState(false);
  const read = useRead<typeof listManagementKeys>('GET /api/console/management-keys', {});
  const revoke = useChange<typeof revokeManagementKey>('DELETE /api/console/management-keys/:id', { stale: STALE });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <Panel
      title={texts.tabs['management']}
      aside={
        <button type="button" className="btn small" onClick={() => setMaking(true)}>
          <Icon name="plus" />
          {texts.mgmtCreate}
        </button>
      }
    >
      <p className="pad mid">{texts.mgmtLead}</p>
      <Table
        label={texts.tabs['management'] ?? ''}
        rows={read.data?.data}
        idOf={({ id }) => id}
        skeleton={2}
        empty={<Empty title={texts.mgmtEmpty} text={texts.mgmtEmptyText} />}
        columns={[
          {
            id: 'name',
            head: texts.mgmtName,
            fold: 'c1',
            cell: ({ name, last4 }) => (
              <>
                <bdi className="strong">{name}</bdi>
                <span className="sub">
                  <Id value={`dgm-…${last4}`} />
                </span>
              </>
            ),
          },
          {
            id: 'resources',
            head: texts.resources,
            cell: ({ resources }) =>
              Object.entries(resources).map(([resource, level]) => (
                <span key={resource} className="tag">
                  {labelOf(names.resources, resource) ?? resource}: {names.access[level]}
                </span>
              )),
          },
          {
            id: 'used',
            head: texts.used,
            fold: 'c3',
            className: 'mid',
            cell: ({ last_used_at: at }) => (at === null ? texts.never : <Moment at={at} />),
          },
          {
            id: 'state',
            head: texts.state,
            fold: 'c4',
            cell: (key) => <KeyState value={key} />,
          },
          {
            id: 'revoke',
            head: '',
            fold: 'c2',
            cell: ({ id, name, revoked_at: at }) =>
              at === null && (
                <AskingButton
                  title={texts.revokeTitle(name)}
                  text={texts.revokeText}
                  onConfirm={() => revoke.mutate({ params: { id } })}
                >
                  {texts.revoke}
                </AskingButton>
              ),
          },
        ]}
      />
      {making && <NewManagementKey onClose={() => setMaking(false)} />}
    </Panel>
  );
}

function KeyState({ value }: { value: Key }) {
  const texts = useTexts();
  const format = useFormat();
  const [tone, text] = stateOf(value, texts);
  const { expires_at: end, revoked_at: revoked } = value;
  return (
    <>
      <Pill tone={tone}>{text}</Pill>
      {revoked === null && <span className="sub">{end === null ? texts.noEnd : texts.until(format.date(end))}</span>}
    </>
  );
}

function stateOf({ revoked_at, expires_at }: Key, texts: ReturnType<typeof useTexts>): [Tone, string] {
  if (revoked_at !== null) return ['off', texts.revoked];
  const left = expires_at === null ? Number.POSITIVE_INFINITY : new Date(expires_at).getTime() - Date.now();
  if (left <= 0) return ['off', texts.expired];
  return left <= SOON_MS ? ['warn', texts.endsSoon] : ['ok', texts.active];
}

function NewManagementKey({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const names = useAccessTexts();
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Record<string, string>>({ keys: 'read', requests: 'read' });
  const [ips, setIps] = useState<string[] | null>(null);
  const format = useFormat();
  const [days, setDays] = useState('90');
  const create = useChange<typeof createManagementKey>('POST /api/console/management-keys', { stale: STALE });
  const chosen = Object.entries(access).filter(([, level]) => level !== 'none') as [string, 'read' | 'write'][];
  if (create.data !== undefined) {
    return (
      <Dialog
        title={texts.secretTitle}
        closable={false}
        onClose={onClose}
        footer={
          <button type="button" className="btn main" onClick={onClose}>
            {texts.done}
          </button>
        }
      >
        <p>{texts.secretText}</p>
        <div className="secret">
          <span>{create.data.key}</span>
          <CopyButton text={create.data.key} />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={texts.mgmtCreate}
      wide
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={name.trim() === '' || chosen.length === 0 || create.isPending}
          onAct={() =>
            create.mutate({
              body: {
                name: name.trim(),
                resources: Object.fromEntries(chosen),
                ips,
                expires_at: days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
              },
            })
          }
        >
          {texts.mgmtCreate}
        </DialogActs>
      }
    >
      <TextField label={texts.mgmtName} value={name} onChange={setName} dir="auto" />
      <div className="columns">
        {Object.entries(names.resources).map(([resource, label]) => (
          <SelectField
            key={resource}
            label={label}
            value={access[resource] ?? 'none'}
            onChange={(level) => setAccess((before) => ({ ...before, [resource]: level }))}
            options={Object.entries(names.access)}
          />
        ))}
      </div>
      <SelectField
        label={texts.mgmtExpiry}
        hint={texts.mgmtExpiryHint}
        error={errorAt(create.error, 'expires_at')}
        value={days}
        onChange={setDays}
        options={[
          ...LIVES.map((count) => [count, texts.daysOf(format.number(count))] as const),
          ['', texts.noEnd] as const,
        ]}
      />
      <div className="field">
        <span className="label">{texts.ips}</span>
        <ListInput label={texts.ips} placeholder={texts.anywhere} values={ips} onChange={setIps} />
      </div>
    </Dialog>
  );
}
