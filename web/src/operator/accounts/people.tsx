/** The people of an account: who they are, and what support does for them. */
import type { actOnMember, inviteAgain, listAccountMembers } from '@dargah/api/admin/desk.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AskingButton } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMe } from '../../session.tsx';
import { useShellTexts } from '../../shell/texts.ts';
import { useShared } from '../../texts/shared.ts';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { AskReason } from './ask-reason.tsx';
import { useDeskTexts } from './desk-texts.ts';

type People = Result<typeof listAccountMembers>;
type Member = People['members'][number];
type Act = 'block' | 'unblock' | 'sign_out';

const STALE = ['GET /api/admin/accounts/:id/members', 'GET /api/admin/accounts/:id/history'];

export function AccountPeople({ id }: { id: string }) {
  const texts = useDeskTexts();
  const common = useTexts();
  const shared = useShared();
  const format = useFormat();
  const { roles } = useShellTexts();
  const mayAct = useStaffMay<typeof actOnMember>(['owner', 'support']);
  const { staff, person } = useMe();
  const [asking, setAsking] = useState<{ act: Act; member: Member }>();
  const read = useRead<typeof listAccountMembers>('GET /api/admin/accounts/:id/members', { params: { id } });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  // Only an owner acts on staff, and nobody on themselves.
  const mayActOn = (member: Member) => mayAct && member.id !== person.id && (!member.staff || staff?.role === 'owner');
  return (
    <div className="stack">
      <Panel title={texts.tabs.people}>
        <Table
          label={texts.tabs.people}
          rows={read.data?.members}
          idOf={(member) => member.id}
          skeleton={2}
          empty={<Empty title={texts.noPeople} text={texts.noPeopleText} />}
          columns={[
            {
              id: 'name',
              head: common.name,
              fold: 'c1',
              cell: ({ name, role, staff: works }) => (
                <>
                  <bdi className="strong">{name}</bdi> {works && <span className="tag">{texts.worksHere}</span>}
                  <div className="xs dim">{roles[role] ?? role}</div>
                </>
              ),
            },
            {
              id: 'contact',
              head: common.contact,
              fold: 'c4',
              cell: ({ contacts }) => contacts.map((contact) => <Id key={contact} value={contact} />),
            },
            {
              id: 'seen',
              head: texts.lastSeen,
              fold: 'c3',
              className: 'mid',
              cell: ({ last_seen_at: at, sessions }) => (
                <>
                  {at === null ? texts.notSeenYet : <Moment at={at} />}
                  <div className="xs dim">{texts.sessions(format.number(sessions))}</div>
                </>
              ),
            },
            {
              id: 'factor',
              head: texts.secondFactor,
              cell: ({ second_factor: has }) => (has ? texts.yes : texts.no),
            },
            {
              id: 'state',
              head: common.state,
              fold: 'c2',
              cell: ({ blocked }) => (
                <Pill tone={blocked ? 'bad' : 'ok'}>{blocked ? texts.memberBlocked : texts.memberActive}</Pill>
              ),
            },
            {
              id: 'actions',
              head: <span className="vh">{shared.actions}</span>,
              fold: 'c2',
              cell: (member) =>
                mayActOn(member) && (
                  <Menu
                    label={`${shared.actions}: ${member.name}`}
                    items={actsOn(member).map((act) => ({
                      name: texts.acts[act],
                      danger: act === 'block',
                      run: () => setAsking({ act, member }),
                    }))}
                  />
                ),
            },
          ]}
        />
      </Panel>
      <Invitations id={id} rows={read.data?.invitations} mayAct={mayAct} />
      {asking !== undefined && <MemberDialog account={id} {...asking} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

function actsOn({ blocked, sessions }: Member): Act[] {
  return [...(sessions > 0 ? (['sign_out'] as const) : []), blocked ? 'unblock' : 'block'];
}

function MemberDialog({
  account,
  act,
  member,
  onClose,
}: {
  account: string;
  act: Act;
  member: Member;
  onClose(): void;
}) {
  const texts = useDeskTexts();
  const toast = useToast();
  const change = useChange<typeof actOnMember>('POST /api/admin/accounts/:id/members/:person', {
    quiet: true,
    stale: STALE,
    done() {
      toast({ text: texts.done });
      onClose();
    },
  });
  return (
    <AskReason
      title={texts.actTitles[act](member.name)}
      act={texts.acts[act]}
      danger={act === 'block'}
      busy={change.isPending}
      error={change.error?.message}
      onClose={onClose}
      onAct={(reason) => change.mutate({ params: { id: account, person: member.id }, body: { act, reason } })}
    >
      <p>{texts.actTexts[act]}</p>
    </AskReason>
  );
}

function Invitations({ id, rows, mayAct }: { id: string; rows: People['invitations'] | undefined; mayAct: boolean }) {
  const texts = useDeskTexts();
  const shared = useShared();
  const common = useTexts();
  const toast = useToast();
  const format = useFormat();
  const { roles } = useShellTexts();
  const again = useChange<typeof inviteAgain>('POST /api/admin/accounts/:id/invitations/:invitation', {
    stale: STALE,
    done: () => toast({ text: texts.done }),
  });
  return (
    <Panel title={texts.invitations}>
      <Table
        label={texts.invitations}
        rows={rows}
        idOf={({ id: invitation }) => invitation}
        skeleton={1}
        empty={<p className="pad dim">{texts.noInvitations}</p>}
        columns={[
          { id: 'to', head: common.contact, fold: 'c1', cell: ({ to }) => <Id value={to} /> },
          { id: 'role', head: common.role, fold: 'c3', cell: ({ role }) => roles[role] ?? role },
          { id: 'by', head: texts.invitedBy, fold: 'c4', cell: ({ invited_by: by }) => <bdi>{by}</bdi> },
          {
            id: 'until',
            head: texts.expires,
            className: 'mid nowrap',
            cell: ({ expires_at: at }) => format.dateTime(at),
          },
          {
            id: 'actions',
            head: <span className="vh">{shared.actions}</span>,
            fold: 'c2',
            cell: (invitation) =>
              mayAct && (
                <AskingButton
                  title={texts.inviteAgainTitle}
                  text={texts.inviteAgainText}
                  danger={false}
                  onConfirm={() => again.mutate({ params: { id, invitation: invitation.id } })}
                >
                  {texts.inviteAgain}
                </AskingButton>
              ),
          },
        ]}
      />
    </Panel>
  );
}
