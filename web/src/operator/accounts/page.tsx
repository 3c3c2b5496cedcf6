/** Accounts, and people by their number or address. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import type {
  createAccount,
  getAccountWallet,
  listAccounts,
} from '../../../../server/src/http/admin/routes/accounts.ts';
import type { listPeople } from '../../../../server/src/http/admin/routes/people.ts';
import { useAddress } from '../../address.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { FilterText } from '../../parts/filter.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';

export default function AccountsPage() {
  const texts = useTexts();
  const format = useFormat();
  const address = useAddress();
  const [, navigate] = useLocation();
  const [making, setMaking] = useState(false);
  const mayMake = useStaffMay<typeof createAccount>(['owner', 'support']);
  const mayFind = useStaffMay<typeof listPeople>(['owner', 'support']);
  const q = (address.get('q') ?? '').trim();
  const list = usePages<typeof listAccounts>('GET /api/admin/accounts', { query: { q, limit: 50 } });
  const people = useRead<typeof listPeople>('GET /api/admin/people', { query: { q } }, { enabled: mayFind && q !== '' })
    .data?.data;
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
      <div className="filters">
        <FilterText name="q" label={mayFind ? texts.accountSearch : texts.search} />
      </div>
      <div className="stack">
        <section className="panel" aria-label={texts.nav.accounts}>
          {list.error !== null && list.rows === undefined ? (
            <Trouble error={list.error} again={() => void list.refetch()} />
          ) : (
            <Table
              label={texts.nav.accounts}
              rows={list.rows}
              idOf={({ id }) => id}
              onOpen={({ id }) => navigate(`/operator/accounts/${encodeURIComponent(id)}`)}
              empty={<Empty title={texts.noAccounts} text={q === '' ? texts.noAccountsText : texts.noAccountFound} />}
              foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
              columns={[
                { id: 'name', head: texts.name, fold: 'c1', cell: ({ name }) => <bdi className="strong">{name}</bdi> },
                { id: 'id', head: texts.id, fold: 'c3', cell: ({ id }) => <Id value={id} copy /> },
                { id: 'balance', head: texts.balance, number: true, fold: 'c2', cell: ({ id }) => <Balance id={id} /> },
                {
                  id: 'created',
                  head: texts.created,
                  fold: 'c4',
                  className: 'mid',
                  cell: ({ created_at: at }) => format.date(at),
                },
              ]}
            />
          )}
        </section>
        {people !== undefined && people.length > 0 && (
          <Panel title={texts.people}>
            <Table
              label={texts.people}
              rows={people}
              idOf={({ id }) => id}
              columns={[
                { id: 'name', head: texts.name, fold: 'c1', cell: ({ name }) => <bdi>{name}</bdi> },
                {
                  id: 'contact',
                  head: texts.contact,
                  fold: 'c3',
                  cell: ({ contacts }) => contacts.map((contact) => <Id key={contact} value={contact} />),
                },
                {
                  id: 'accounts',
                  head: texts.nav.accounts,
                  fold: 'c2',
                  cell: ({ accounts }) =>
                    accounts.map((account) => (
                      <button
                        key={account.id}
                        type="button"
                        className="link"
                        onClick={() => navigate(`/operator/accounts/${account.id}`)}
                      >
                        <bdi>{account.name}</bdi>
                      </button>
                    )),
                },
                { id: 'created', head: texts.created, cell: ({ created_at: at }) => <Moment at={at} /> },
              ]}
            />
          </Panel>
        )}
      </div>
      {making && (
        <NewAccount
          onClose={(id) => {
            setMaking(false);
            if (id !== undefined) navigate(`/operator/accounts/${id}`);
          }}
        />
      )}
    </>
  );
}

function Balance({ id }: { id: string }) {
  const wallet = useRead<typeof getAccountWallet>('GET /api/admin/accounts/:id/wallet', { params: { id } }).data;
  return wallet === undefined ? <span className="skel w0" /> : <AmountCell value={wallet.wallet.balance} />;
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
