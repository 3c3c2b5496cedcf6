/** Staff and their roles, and the outbox of the trial messenger. */

import type { listOutbox } from '@dargah/api/admin/messenger-settings.ts';
import type { addStaff, changeStaff, listStaff, removeStaff } from '@dargah/api/admin/people.ts';
import { STAFF_ROLES, type StaffRole } from '@dargah/core/roles.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShellTexts } from '../../shell/texts.ts';
import { useShared } from '../../texts/shared.ts';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { useStaffTexts } from './texts.ts';

type Staff = Result<typeof listStaff>['data'][number];
// Changing one's own role takes effect on this page at once.
const STALE = ['GET /api/admin/staff', 'GET /api/console/me'];

export default function StaffPage() {
  const texts = useTexts();
  const own = useStaffTexts();
  const may = useStaffMay<typeof listStaff>(['owner']);
  if (!may) return <Empty page title={own.forOwners} text={own.forOwnersText} />;
  return (
    <>
      <PageHead title={texts.nav.staff} />
      <div className="stack">
        <Panel label={texts.nav.staff}>
          <People />
          <AddStaff />
        </Panel>
        <Outbox />
      </div>
    </>
  );
}

function People() {
  const texts = useTexts();
  const shell = useShellTexts();
  const shared = useShared();
  const [leaving, setLeaving] = useState<Staff>();
  const read = useRead<typeof listStaff>('GET /api/admin/staff', {});
  const change = useChange<typeof changeStaff>('PATCH /api/admin/staff/:id', { stale: STALE });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const acts = (person: Staff) => [
    ...STAFF_ROLES.filter((role) => role !== person.role).map((role) => ({
      name: shell.staffRoles[role] ?? role,
      run: () => change.mutate({ params: { id: person.id }, body: { role } }),
    })),
    { name: texts.remove, danger: true, run: () => setLeaving(person) },
  ];
  return (
    <>
      <Table
        label={texts.nav.staff}
        rows={read.data?.data}
        idOf={({ id }) => id}
        skeleton={2}
        columns={[
          { id: 'name', head: texts.name, fold: 'c1', cell: ({ name }) => <bdi className="strong">{name}</bdi> },
          { id: 'role', head: texts.role, fold: 'c3', cell: ({ role }) => shell.staffRoles[role] ?? role },
          {
            id: 'contacts',
            head: texts.contact,
            cell: ({ contacts }) => contacts.map((contact) => <Id key={contact} value={contact} />),
          },
          {
            id: 'second',
            head: texts.secondFactor,
            fold: 'c4',
            cell: ({ second_factor: on }) => (
              <Pill tone={on ? 'ok' : 'off'}>
                <span className="cell-unit">{texts.secondFactor} </span>
                {on ? texts.on : texts.off}
              </Pill>
            ),
          },
          {
            id: 'actions',
            head: <span className="vh">{shared.actions}</span>,
            fold: 'c2',
            cell: (person) => <Menu label={`${shared.actions}: ${person.name}`} items={acts(person)} />,
          },
        ]}
      />
      {leaving !== undefined && <Leaving person={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  );
}

function Leaving({ person, onClose }: { person: Staff; onClose(): void }) {
  const texts = useTexts();
  const own = useStaffTexts();
  const shell = useShellTexts();
  const toast = useToast();
  const remove = useChange<typeof removeStaff>('DELETE /api/admin/staff/:id', {
    stale: STALE,
    done() {
      toast({ text: own.removed });
      onClose();
    },
  });
  return (
    <Confirm
      title={own.removeTitle(person.name || (person.contacts[0] ?? person.id))}
      act={texts.remove}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ params: { id: person.id } })}
      onClose={onClose}
    >
      <p>{own.removeText(shell.staffRoles[person.role] ?? person.role)}</p>
    </Confirm>
  );
}

function AddStaff() {
  const texts = useTexts();
  const shell = useShellTexts();
  const [to, setTo] = useState('');
  const [role, setRole] = useState<string>('support');
  const add = useChange<typeof addStaff>('POST /api/admin/staff', { quiet: true, stale: STALE, done: () => setTo('') });
  return (
    <Form
      className="pad stack gap-m under narrow-form"
      label={texts.addStaff}
      onSubmit={() => add.mutate({ body: { to: to.trim(), role: role as StaffRole } })}
    >
      <TextField label={texts.contact} value={to} onChange={setTo} dir="ltr" error={add.error?.message} />
      <SelectField
        label={texts.role}
        value={role}
        onChange={setRole}
        options={STAFF_ROLES.map((id) => [id, shell.staffRoles[id] ?? id] as const)}
      />
      <div className="row">
        <button type="submit" className="btn" disabled={to.trim() === '' || add.isPending}>
          {texts.addStaff}
        </button>
      </div>
    </Form>
  );
}

function Outbox() {
  const texts = useTexts();
  const list = usePages<typeof listOutbox>('GET /api/admin/outbox', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined) return null;
  return (
    <Panel title={texts.outbox}>
      <p className="pad mid">{texts.outboxText}</p>
      <Table
        label={texts.outbox}
        dense
        rows={list.rows}
        idOf={({ id }) => id}
        skeleton={2}
        empty={<p className="pad dim">{texts.noOutbox}</p>}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          { id: 'at', head: texts.time, fold: 'c3', className: 'mid nowrap', cell: ({ at }) => <Moment at={at} /> },
          { id: 'to', head: texts.to, fold: 'c1', cell: ({ to }) => <Id value={to} /> },
          {
            id: 'text',
            head: texts.text,
            fold: 'c4',
            className: 'own-line',
            cell: ({ text }) => (
              <span className="wraps" dir="auto">
                {text}
              </span>
            ),
          },
        ]}
      />
    </Panel>
  );
}
