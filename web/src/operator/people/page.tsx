/** People by name, number or address; who is blocked, and whom one may let in again. */

import type { changePerson, endPersonSessions, listPeople } from '@dargah/api/admin/people.ts';
import { STAFF_ROLES } from '@dargah/core/roles.ts';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useChange, usePages } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Filter, FilterText } from '../../parts/filter.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMe } from '../../session.tsx';
import { useShellTexts } from '../../shell/texts.ts';
import { useShared } from '../../texts/shared.ts';
import { ListBar } from '../lists/list-bar.tsx';
import { ListFoot } from '../lists/list-foot.tsx';
import { present } from '../lists/present.ts';
import { useListTexts } from '../lists/texts.ts';
import { useTexts } from '../texts.ts';
import { usePeopleTexts } from './texts.ts';

type Person = Result<typeof listPeople>['data'][number];
const FILTERS = ['q', 'state', 'role'];
const STALE = ['GET /api/admin/people'];

export default function PeoplePage() {
  const texts = useTexts();
  const own = usePeopleTexts();
  const lists = useListTexts();
  const shell = useShellTexts();
  const { get } = useAddress();
  const filters = {
    q: get('q'),
    state: get('state') as 'active' | 'blocked' | undefined,
    role: get('role') as 'customer' | undefined,
  };
  const query = { limit: 50, ...present(filters) };
  const list = usePages<typeof listPeople>('GET /api/admin/people', { query });
  return (
    <>
      <PageHead title={texts.nav.people} />
      <ListBar list="people" names={FILTERS} query={query}>
        <FilterText name="q" label={own.search} />
        <Filter name="state" label={texts.state} options={Object.entries(own.states)} />
        <Filter
          name="role"
          label={texts.role}
          options={[
            ['customer', own.customer],
            ...STAFF_ROLES.map((role) => [role, shell.staffRoles[role] ?? role] as const),
          ]}
        />
      </ListBar>
      <section className="panel" aria-label={texts.nav.people}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={texts.nav.people}
            rows={list.rows}
            idOf={({ id }) => id}
            empty={<Empty title={lists.none} text={lists.noneText} />}
            foot={<ListFoot list={list} />}
            columns={[
              {
                id: 'name',
                head: texts.name,
                fold: 'c1',
                cell: ({ name, id, blocked }) => (
                  <>
                    <bdi className="strong">{name === '' ? id : name}</bdi>{' '}
                    {blocked && <Pill tone="bad">{own.states.blocked}</Pill>}
                  </>
                ),
              },
              {
                id: 'contact',
                head: texts.contact,
                fold: 'c3',
                cell: ({ contacts }) => contacts.map((contact) => <Id key={contact} value={contact} />),
              },
              { id: 'accounts', head: texts.nav.accounts, fold: 'c4', cell: (person) => <Accounts person={person} /> },
              {
                id: 'role',
                head: texts.role,
                cell: ({ staff_role: role }) =>
                  role === null ? <span className="dim">{own.customer}</span> : (shell.staffRoles[role] ?? role),
              },
              {
                id: 'seen',
                head: own.seen,
                className: 'mid nowrap',
                cell: ({ seen_at: at }) => (at === null ? <span className="dim">—</span> : <Moment at={at} />),
              },
              { id: 'actions', head: '', fold: 'c2', cell: (person) => <PersonActs person={person} /> },
            ]}
          />
        )}
      </section>
    </>
  );
}

function Accounts({ person }: { person: Person }) {
  return person.accounts.map((account, at) => (
    <span key={account.id}>
      {at > 0 && ' · '}
      <Link href={`/operator/accounts/${account.id}`}>
        <bdi>{account.name}</bdi>
      </Link>
    </span>
  ));
}

function PersonActs({ person: { id, name, blocked } }: { person: Person }) {
  const own = usePeopleTexts();
  const shared = useShared();
  const toast = useToast();
  const me = useMe().person.id;
  const change = useChange<typeof changePerson>('PATCH /api/admin/people/:id', { stale: STALE });
  const end = useChange<typeof endPersonSessions>('DELETE /api/admin/people/:id/sessions', {
    done: () => toast({ text: own.ended }),
  });
  if (id === me) return null;
  const items = [
    { name: own.endSessions, run: () => end.mutate({ params: { id } }) },
    {
      name: blocked ? own.unblock : own.block,
      danger: !blocked,
      run: () => change.mutate({ params: { id }, body: { blocked: !blocked } }),
    },
  ];
  return <Menu label={`${shared.actions}: ${name === '' ? id : name}`} items={items} />;
}
