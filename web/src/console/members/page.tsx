/** The members of the account with their roles, and the invitations. */

import type { leaveAccount, transferOwnership } from '@dargah/api/console/account.ts';
import type {
  changeMember,
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  withdrawInvitation,
} from '@dargah/api/console/members.ts';
import { GRANTED_ROLES, type GrantedRole } from '@dargah/core/roles.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Code, Id } from '../../parts/copyable.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { PageHead } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMe, useOwnAccount } from '../../session.tsx';
import { useShellTexts } from '../../shell/texts.ts';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTexts } from './texts.ts';

type Member = Result<typeof listMembers>['data'][number];
const STALE = ['GET /api/console/members', 'GET /api/console/invitations'];

export default function MembersPage() {
  const texts = useTexts();
  const shell = useShellTexts();
  const shared = useShared();
  const toast = useToast();
  const own = useOwnAccount();
  const me = useMe();
  const client = useQueryClient();
  const mayWrite = own?.role === 'owner' || own?.role === 'admin';
  const [inviting, setInviting] = useState(false);
  const [asking, setAsking] = useState<{ kind: 'remove' | 'transfer'; member: Member } | { kind: 'leave' }>();
  const members = useRead<typeof listMembers>('GET /api/console/members', {});
  const done = (text: string) => () => {
    setAsking(undefined);
    toast({ text });
  };
  const change = useChange<typeof changeMember>('PATCH /api/console/members/:id', {
    stale: STALE,
    done: done(shared.saved),
  });
  const remove = useChange<typeof removeMember>('DELETE /api/console/members/:id', {
    stale: STALE,
    done: done(texts.removed),
  });
  const transfer = useChange<typeof transferOwnership>('POST /api/console/account/transfer-ownership', {
    stale: [...STALE, 'GET /api/console/me', 'GET /api/console/account'],
    done: done(texts.transferred),
  });
  const leave = useChange<typeof leaveAccount>('POST /api/console/account/leave', {
    done: () => void client.resetQueries(),
  });
  if (members.error !== null && members.data === undefined)
    return <Trouble error={members.error} again={() => void members.refetch()} />;
  const actions = (member: Member) => [
    ...GRANTED_ROLES.filter((role) => role !== member.role).map((role) => ({
      name: texts.makeRole(shell.roles[role] ?? role),
      run: () => change.mutate({ params: { id: member.id }, body: { role } }),
    })),
    ...(own?.role === 'owner'
      ? [{ name: texts.transfer, icon: 'key' as const, run: () => setAsking({ kind: 'transfer', member }) }]
      : []),
    { name: texts.remove, icon: 'trash' as const, danger: true, run: () => setAsking({ kind: 'remove', member }) },
  ];
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        {own?.role !== 'owner' && me.viewing === null && (
          <button type="button" className="btn" onClick={() => setAsking({ kind: 'leave' })}>
            {texts.leave}
          </button>
        )}
        {mayWrite && (
          <button type="button" className="btn main" onClick={() => setInviting(true)}>
            <Icon name="plus" />
            {texts.invite}
          </button>
        )}
      </PageHead>
      <div className="stack">
        <section className="panel" aria-label={texts.title}>
          <Table
            label={texts.title}
            rows={members.data?.data}
            idOf={({ id }) => id}
            columns={[
              {
                id: 'name',
                head: texts.name,
                fold: 'c1',
                cell: ({ name, you }) => (
                  <>
                    <bdi className="strong">{name}</bdi> {you && <span className="tag">{texts.you}</span>}
                  </>
                ),
              },
              {
                id: 'role',
                head: texts.role,
                fold: 'c3',
                cell: ({ role }) => (
                  <>
                    {shell.roles[role] ?? role}
                    <span className="sub">{texts.roleText[role]}</span>
                  </>
                ),
              },
              { id: 'contact', head: texts.contact, cell: ({ contact }) => contact !== null && <Id value={contact} /> },
              { id: 'joined', head: texts.joined, className: 'mid', cell: ({ joined_at: at }) => <Moment at={at} /> },
              {
                id: 'actions',
                head: <span className="vh">{shared.actions}</span>,
                fold: 'c2',
                cell: (member) =>
                  mayWrite &&
                  !member.you &&
                  member.role !== 'owner' && (
                    <Menu label={`${shared.actions}: ${member.name}`} items={actions(member)} />
                  ),
              },
            ]}
          />
        </section>
        {mayWrite && <Invitations />}
      </div>
      {inviting && <Invite onClose={() => setInviting(false)} />}
      {asking?.kind === 'remove' && (
        <Confirm
          title={texts.removeAsk(asking.member.name)}
          act={texts.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { id: asking.member.id } })}
          onClose={() => setAsking(undefined)}
        >
          <p>{texts.removeText}</p>
        </Confirm>
      )}
      {asking?.kind === 'transfer' && (
        <Confirm
          title={texts.transferAsk(asking.member.name)}
          act={texts.transfer}
          typed={own?.name ?? ''}
          busy={transfer.isPending}
          onConfirm={() => transfer.mutate({ body: { member_id: asking.member.id } })}
          onClose={() => setAsking(undefined)}
        >
          <p>{texts.transferText}</p>
        </Confirm>
      )}
      {asking?.kind === 'leave' && (
        <Confirm
          title={texts.leaveAsk}
          act={texts.leave}
          busy={leave.isPending}
          onConfirm={() => leave.mutate({})}
          onClose={() => setAsking(undefined)}
        >
          <p>{texts.leaveText}</p>
        </Confirm>
      )}
    </>
  );
}

function Invitations() {
  const texts = useTexts();
  const shell = useShellTexts();
  const format = useFormat();
  const list = useRead<typeof listInvitations>('GET /api/console/invitations', {}).data?.data;
  const withdraw = useChange<typeof withdrawInvitation>('DELETE /api/console/invitations/:id', { stale: STALE });
  return (
    <section className="panel" aria-label={texts.open}>
      <div className="head ruled">
        <h2>{texts.open}</h2>
      </div>
      <Table
        label={texts.open}
        rows={list}
        idOf={({ id }) => id}
        skeleton={1}
        empty={<p className="pad dim">{texts.noInvitations}</p>}
        columns={[
          { id: 'to', head: texts.to, fold: 'c1', cell: ({ to }) => <Id value={to} /> },
          { id: 'role', head: texts.role, fold: 'c3', cell: ({ role }) => shell.roles[role] ?? role },
          {
            id: 'expires',
            head: texts.expires,
            fold: 'c4',
            className: 'mid',
            cell: ({ expires_at: at }) => format.dateTime(at),
          },
          {
            id: 'withdraw',
            head: '',
            fold: 'c2',
            cell: ({ id }) => (
              <button type="button" className="btn small" onClick={() => withdraw.mutate({ params: { id } })}>
                {texts.withdraw}
              </button>
            ),
          },
        ]}
      />
    </section>
  );
}

function Invite({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const shell = useShellTexts();
  const shared = useShared();
  const [to, setTo] = useState('');
  const [role, setRole] = useState<string>('developer');
  const invite = useChange<typeof inviteMember>('POST /api/console/invitations', { quiet: true, stale: STALE });
  if (invite.data !== undefined) {
    return (
      <Dialog
        title={texts.invitedTitle}
        onClose={onClose}
        footer={
          <button type="button" className="btn main" onClick={onClose}>
            {texts.done}
          </button>
        }
      >
        <p>{texts.invitedText}</p>
        <Code text={`${location.origin}/console#invitation=${invite.data.invitation}`} />
      </Dialog>
    );
  }
  return (
    <Dialog
      title={texts.inviteTitle}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button type="submit" form="invite" className="btn main" disabled={to.trim() === '' || invite.isPending}>
            {texts.send}
          </button>
        </>
      }
    >
      <form
        id="invite"
        className="stack gap-m"
        onSubmit={(event) => {
          event.preventDefault();
          invite.mutate({ body: { to: to.trim(), role: role as GrantedRole } });
        }}
      >
        <TextField label={texts.contactLabel} value={to} onChange={setTo} dir="ltr" error={invite.error?.message} />
        <SelectField
          label={texts.role}
          value={role}
          onChange={setRole}
          hint={labelOf(texts.roleText, role)}
          options={GRANTED_ROLES.map((id) => [id, shell.roles[id] ?? id] as const)}
        />
      </form>
    </Dialog>
  );
}
