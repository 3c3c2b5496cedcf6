/** Accounts with what they hold and spend, found by name, id, number or address. */

import type { createAccount, listAccounts } from '@dargah/api/admin/accounts.ts';
import type { listPeople } from '@dargah/api/admin/people.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import { useChange, usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Filter, FilterNumber, FilterText } from '../../parts/filter.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { ListBar } from '../lists/list-bar.tsx';
import { ListFoot } from '../lists/list-foot.tsx';
import { present } from '../lists/present.ts';
import { useListTexts } from '../lists/texts.ts';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { useAccountListTexts } from './list-texts.ts';

const FILTERS = ['q', 'state', 'balance_from', 'balance_to', 'spent_over', 'tickets', 'margin', 'sort'];
const TONES = { active: 'ok', paused: 'warn', blocked: 'bad', closed: 'off' } as const;

function useAccountQuery() {
  const { get } = useAddress();
  const filters = {
    q: get('q')?.trim(),
    state: get('state') as 'active' | 'paused' | 'blocked' | 'closed' | 'negative' | undefined,
    balance_from: get('balance_from'),
    balance_to: get('balance_to'),
    spent_over: get('spent_over'),
    has_tickets: get('tickets') === undefined ? undefined : true,
    own_margin: get('margin') === undefined ? undefined : true,
    sort: get('sort') as 'name' | 'balance' | 'spent' | 'last_use' | undefined,
  };
  return { limit: 50, ...present(filters) };
}

export default function AccountsPage() {
  const texts = useTexts();
  const own = useAccountListTexts();
  const lists = useListTexts();
  const shared = useShared();
  const format = useFormat();
  const [, navigate] = useLocation();
  const [making, setMaking] = useState(false);
  const mayMake = useStaffMay<typeof createAccount>(['owner', 'support']);
  const mayFind = useStaffMay<typeof listPeople>(['owner', 'support']);
  const query = useAccountQuery();
  const list = usePages<typeof listAccounts>('GET /api/admin/accounts', { query });
  const filtered = Object.keys(query).length > 1;
  return (
    <>
      <PageHead title={texts.nav.accounts}>
        {mayMake && (
          <button type="button" className="btn" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            {texts.newAccount}
          </button>
        )}
      </PageHead>
      <ListBar list="accounts" names={FILTERS} query={query}>
        <FilterText name="q" label={mayFind ? texts.accountSearch : texts.search} />
        <Filter name="state" label={texts.state} options={Object.entries(own.states)} />
        <FilterNumber name="balance_from" label={own.balanceFrom} unit={shared.toman} />
        <FilterNumber name="balance_to" label={own.balanceTo} unit={shared.toman} />
        <FilterNumber name="spent_over" label={own.spentOver} unit={shared.toman} />
        <Filter name="tickets" label={own.withTickets} options={[['true', shared.yes]]} />
        <Filter name="margin" label={own.ownMargin} options={[['true', shared.yes]]} />
        <Filter name="sort" label={lists.sort} options={Object.entries(own.sorts)} unset={own.newest} />
      </ListBar>
      <section className="panel" aria-label={texts.nav.accounts}>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={texts.nav.accounts}
            rows={list.rows}
            idOf={({ id }) => id}
            onOpen={({ id }) => navigate(`/operator/accounts/${encodeURIComponent(id)}`)}
            empty={<Empty title={texts.noAccounts} text={filtered ? lists.noneText : texts.noAccountsText} />}
            foot={<ListFoot list={list} />}
            columns={[
              {
                id: 'name',
                head: texts.name,
                fold: 'c1',
                cell: ({ name, state }) => (
                  <>
                    <bdi className="strong">{name}</bdi>{' '}
                    {state !== 'active' && <Pill tone={TONES[state]}>{own.states[state]}</Pill>}
                  </>
                ),
              },
              {
                id: 'id',
                head: texts.id,
                fold: 'c3',
                className: 'narrow-id',
                cell: ({ id }) => <Id value={id} copy />,
              },
              {
                id: 'balance',
                head: texts.balance,
                number: true,
                fold: 'c2',
                cell: ({ balance }) => <AmountCell value={balance} tone={balance.startsWith('-') ? 'bad' : ''} />,
              },
              {
                id: 'spent',
                head: own.spent30,
                number: true,
                cell: ({ spent_30_days: spent }) => <AmountCell value={spent} />,
              },
              {
                id: 'used',
                head: own.lastUse,
                className: 'mid nowrap',
                cell: ({ last_used_at: at }) => (at === null ? <span className="dim">—</span> : <Moment at={at} />),
              },
              {
                id: 'tickets',
                head: own.openTickets,
                number: true,
                cell: ({ open_tickets: open }) => (open === 0 ? <span className="dim">—</span> : format.number(open)),
              },
              {
                id: 'created',
                head: texts.created,
                fold: 'c4',
                className: 'mid nowrap',
                cell: ({ created_at: at }) => format.date(at),
              },
            ]}
          />
        )}
      </section>
      {making && <NewAccount onClose={() => setMaking(false)} />}
    </>
  );
}

function NewAccount({ onClose }: { onClose(id?: string): void }) {
  const texts = useTexts();
  const [name, setName] = useState('');
  const create = useChange<typeof createAccount>('POST /api/admin/accounts', {
    stale: ['GET /api/admin/accounts'],
    done: ({ id }) => onClose(id),
  });
  return (
    <Dialog
      title={texts.newAccount}
      onClose={() => onClose()}
      footer={
        <DialogActs
          onClose={() => onClose()}
          disabled={name.trim() === '' || create.isPending}
          onAct={() => create.mutate({ body: { name: name.trim() } })}
        >
          {texts.makeAccount}
        </DialogActs>
      }
    >
      <TextField label={texts.name} value={name} onChange={setName} dir="auto" error={create.error?.message} />
    </Dialog>
  );
}
