/** Staff and their roles, and the outbox of the trial messenger. */
import { useState } from 'react';
import type {
  addStaff,
  changeStaff,
  listOutbox,
  listStaff,
  removeStaff,
} from '../../../server/src/http/admin/routes/people.ts';
import { useChange, usePages, useRead } from '../api/read.ts';
import { Form, SelectField, TextField } from '../parts/form.tsx';
import { Menu } from '../parts/menu.tsx';
import { Id, Moment, PageHead, Panel, Pill } from '../parts/small.tsx';
import { MoreButton, Table } from '../parts/table.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useShellWords } from '../shell/words.ts';
import { useShared } from '../words/shared.ts';
import { useWords } from './words.ts';

type Role = 'owner' | 'finance' | 'support' | 'viewer';
const ROLES: Role[] = ['owner', 'finance', 'support', 'viewer'];
const STALE = ['GET /api/admin/staff'];

export default function StaffPage() {
  const words = useWords();
  const shell = useShellWords();
  const shared = useShared();
  const [to, setTo] = useState('');
  const [role, setRole] = useState<string>('support');
  const read = useRead<typeof listStaff>('GET /api/admin/staff', {});
  const add = useChange<typeof addStaff>('POST /api/admin/staff', { quiet: true, stale: STALE, done: () => setTo('') });
  const change = useChange<typeof changeStaff>('PATCH /api/admin/staff/:id', { stale: STALE });
  const remove = useChange<typeof removeStaff>('DELETE /api/admin/staff/:id', { stale: STALE });
  return (
    <>
      <PageHead title={words.nav.staff} />
      <div className="stack">
        <Panel title={words.nav.staff}>
          {read.error !== null ? (
            <Trouble error={read.error} again={() => void read.refetch()} />
          ) : (
            <Table
              label={words.nav.staff}
              rows={read.data?.data}
              idOf={({ id }) => id}
              skeleton={2}
              columns={[
                { id: 'name', head: words.name, fold: 'c1', cell: ({ name }) => <bdi className="strong">{name}</bdi> },
                { id: 'role', head: words.role, fold: 'c3', cell: ({ role: of }) => shell.staffRoles[of] ?? of },
                {
                  id: 'contacts',
                  head: words.contact,
                  cell: ({ contacts }) => contacts.map((contact) => <Id key={contact} value={contact} />),
                },
                {
                  id: 'second',
                  head: words.secondFactor,
                  fold: 'c4',
                  cell: ({ second_factor: on }) => <Pill tone={on ? 'ok' : 'off'}>{on ? words.on : words.off}</Pill>,
                },
                {
                  id: 'actions',
                  head: <span className="vh">{shared.actions}</span>,
                  fold: 'c2',
                  cell: ({ id, name, role: of }) => (
                    <Menu
                      label={`${shared.actions}: ${name}`}
                      items={[
                        ...ROLES.filter((other) => other !== of).map((other) => ({
                          name: shell.staffRoles[other] ?? other,
                          run: () => change.mutate({ params: { id }, body: { role: other } }),
                        })),
                        { name: words.remove, danger: true, run: () => remove.mutate({ params: { id } }) },
                      ]}
                    />
                  ),
                },
              ]}
            />
          )}
          <Form
            className="pad stack m under narrow-form"
            label={words.addStaff}
            onSubmit={() => add.mutate({ body: { to: to.trim(), role: role as Role } })}
          >
            <TextField label={words.contact} value={to} onChange={setTo} dir="ltr" error={add.error?.message} />
            <SelectField
              label={words.role}
              value={role}
              onChange={setRole}
              options={ROLES.map((id) => [id, shell.staffRoles[id] ?? id] as const)}
            />
            <div className="row">
              <button type="submit" className="btn" disabled={to.trim() === '' || add.isPending}>
                {words.addStaff}
              </button>
            </div>
          </Form>
        </Panel>
        <Outbox />
      </div>
    </>
  );
}

function Outbox() {
  const words = useWords();
  const list = usePages<typeof listOutbox>('GET /api/admin/outbox', { query: { limit: 50 } });
  if (list.error !== null) return null;
  return (
    <Panel title={words.outbox}>
      <p className="pad mid">{words.outboxText}</p>
      <Table
        label={words.outbox}
        dense
        rows={list.rows}
        idOf={({ id }) => id}
        skeleton={2}
        empty={<p className="pad dim">{words.noOutbox}</p>}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          { id: 'at', head: words.time, fold: 'c3', className: 'mid nowrap', cell: ({ at }) => <Moment at={at} /> },
          { id: 'to', head: words.to, fold: 'c1', cell: ({ to }) => <Id value={to} /> },
          {
            id: 'text',
            head: words.text,
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
