/** One account: wallet, credit with a reason, rules, keys, movements, and viewing it as its customer does. */
import { useState } from 'react';
import { Link } from 'wouter';
import { ACCOUNT_RULE_FIELDS } from '../../../../server/src/core/fields/key-rules.ts';
import type { changeAccount, getAccount, getAccountWallet } from '../../../../server/src/http/admin/routes/accounts.ts';
import type { listTransfers } from '../../../../server/src/http/admin/routes/credit.ts';
import type { listKeys } from '../../../../server/src/http/admin/routes/keys.ts';
import type { viewAs } from '../../../../server/src/http/admin/routes/people.ts';
import type { getTrialBalance } from '../../../../server/src/http/admin/routes/service.ts';
import type { Result } from '../../api/call.ts';
import { useChange, usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { useLimitName } from '../../parts/declared.ts';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Amount, Moment } from '../../parts/figures.tsx';
import { Form, NumberField, TextField, Toggle } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { transferColumns } from '../../parts/transfer-columns.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useLedgerTexts } from '../ledger/texts.ts';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { Credit } from './credit.tsx';
import { AccountMargin } from './margin.tsx';

export default function AccountPage({ params }: { params: { id: string } }) {
  const texts = useTexts();
  const id = params.id;
  const [viewing, setViewing] = useState(false);
  const mayView = useStaffMay<typeof viewAs>(['owner', 'support']);
  const account = useRead<typeof getAccount>('GET /api/admin/accounts/:id', { params: { id } });
  const wallet = useRead<typeof getAccountWallet>('GET /api/admin/accounts/:id/wallet', { params: { id } }).data;
  if (account.error !== null && account.data === undefined)
    return <Trouble error={account.error} again={() => void account.refetch()} />;
  return (
    <>
      <PageHead title={<bdi>{account.data?.name ?? ''}</bdi>} lead={<Id value={id} copy />}>
        <Link className="btn" href={`/operator/requests?account=${encodeURIComponent(id)}`}>
          <Icon name="list" />
          {texts.nav.requests}
        </Link>
        {mayView && (
          <button type="button" className="btn" onClick={() => setViewing(true)}>
            <Icon name="eye" />
            {texts.viewAs}
          </button>
        )}
      </PageHead>
      <div className="stack">
        <section className="panel" aria-label={texts.wallet}>
          <div className="strip">
            {(['available', 'held', 'balance'] as const).map((field) => (
              <div className="stat" key={field}>
                <div className="k">{field === 'balance' ? texts.wallet : texts[field]}</div>
                <div className="v big">
                  {wallet === undefined ? <span className="skel w0" /> : <Amount value={wallet.wallet[field]} unit />}
                </div>
              </div>
            ))}
          </div>
          <div className="cut cut-2 under">
            {account.data === undefined ? (
              <div />
            ) : (
              <div>
                <Rules key={account.data.updated_at} account={account.data} />
                <AccountMargin account={account.data} />
              </div>
            )}
            <Credit id={id} />
          </div>
        </section>
        <Keys id={id} />
        <Transfers id={id} />
      </div>
      {viewing && <ViewAs id={id} onClose={() => setViewing(false)} />}
    </>
  );
}

function Rules({ account }: { account: Result<typeof getAccount> }) {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const nameOf = useLimitName();
  const { rules } = account;
  const [rpm, setRpm] = useState<string | null>(rules.rpm == null ? null : String(rules.rpm));
  const [caps, setCaps] = useState<Record<string, string | null>>(() =>
    Object.fromEntries(
      ['daily', 'monthly', 'total'].map((period) => [
        period,
        (rules.caps?.[period as 'daily'] as string | null | undefined) ?? null,
      ]),
    ),
  );
  const [paused, setPaused] = useState(rules.paused === true);
  const save = useChange<typeof changeAccount>('PATCH /api/admin/accounts/:id', {
    stale: ['GET /api/admin/accounts/:id', 'GET /api/admin/accounts'],
    done: () => toast({ text: shared.saved }),
  });
  return (
    <Form
      className="pad stack m"
      label={texts.rules}
      onSubmit={() =>
        save.mutate({
          params: { id: account.id },
          body: { rules: { rpm: rpm === null ? null : Math.round(Number(rpm)), caps, paused } },
        })
      }
    >
      <h2>{texts.rules}</h2>
      <ChangedBy<typeof changeAccount> roles={['owner', 'support']}>
        <div className="columns">
          <NumberField
            label={nameOf('rpm')}
            bounds={ACCOUNT_RULE_FIELDS.rpm}
            value={rpm}
            onChange={setRpm}
            placeholder={shared.unlimited}
            hint={shared.emptyIsUnlimited}
          />
          {['daily', 'monthly', 'total'].map((period) => (
            <NumberField
              key={period}
              label={nameOf(period)}
              unit={shared.toman}
              placeholder={shared.unlimited}
              value={caps[period] ?? null}
              onChange={(next) => setCaps((before) => ({ ...before, [period]: next }))}
            />
          ))}
        </div>
        <Toggle checked={paused} onChange={setPaused}>
          {texts.paused}
        </Toggle>
        {save.error !== null && <p className="bad">{save.error.message}</p>}
        <div className="row">
          <button type="submit" className="btn main" disabled={save.isPending}>
            {texts.save}
          </button>
        </div>
      </ChangedBy>
    </Form>
  );
}

function Keys({ id }: { id: string }) {
  const texts = useTexts();
  const rows = useRead<typeof listKeys>('GET /api/admin/keys', { query: { account_id: id, limit: 100 } }).data?.data;
  return (
    <Panel title={texts.keys}>
      <Table
        label={texts.keys}
        dense
        rows={rows}
        idOf={({ id: key }) => key}
        skeleton={2}
        empty={<p className="pad dim">—</p>}
        columns={[
          { id: 'name', head: texts.name, fold: 'c1', cell: ({ name }) => <bdi>{name}</bdi> },
          { id: 'tail', head: texts.id, fold: 'c3', cell: ({ last4 }) => <Id value={`dg-…${last4}`} /> },
          {
            id: 'state',
            head: texts.state,
            fold: 'c2',
            cell: ({ revoked_at: revoked, rules }) => (
              <Pill tone={revoked !== null ? 'off' : rules.paused === true ? 'warn' : 'ok'}>
                {revoked !== null ? texts.keyRevoked : rules.paused === true ? texts.keyPaused : texts.on}
              </Pill>
            ),
          },
          { id: 'created', head: texts.created, className: 'mid', cell: ({ created_at: at }) => <Moment at={at} /> },
        ]}
      />
    </Panel>
  );
}

function Transfers({ id }: { id: string }) {
  const texts = useTexts();
  const { noTransfers } = useLedgerTexts();
  const seesBooks = useStaffMay<typeof getTrialBalance>(['owner', 'finance']);
  const list = usePages<typeof listTransfers>('GET /api/admin/accounts/:id/transfers', {
    params: { id },
    query: { limit: 50 },
  });
  return (
    <Panel
      title={texts.transfers}
      aside={
        seesBooks && (
          <Link className="btn small" href={`/operator/ledger/transfers?account=${encodeURIComponent(id)}`}>
            <Icon name="scale" />
            {texts.nav.ledger}
          </Link>
        )
      }
    >
      <Table
        label={texts.transfers}
        dense
        rows={list.rows}
        idOf={(row) => row.id}
        empty={<Empty title={noTransfers} text="" />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={transferColumns({
          heads: { time: texts.time, kind: texts.kind, note: texts.reason, amount: texts.amountColumn },
          kindName: (kind) => labelOf(texts.kinds, kind) ?? labelOf(texts.otherKinds, kind),
          requestsAt: '/operator/requests',
        })}
      />
    </Panel>
  );
}

function ViewAs({ id, onClose }: { id: string; onClose(): void }) {
  const texts = useTexts();
  const format = useFormat();
  const [reason, setReason] = useState('');
  const view = useChange<typeof viewAs>('POST /api/admin/accounts/:id/view-as', {
    done: () => location.assign('/console'),
  });
  return (
    <Dialog
      title={texts.viewAs}
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={reason.trim().length < 3 || view.isPending}
          onAct={() => view.mutate({ params: { id }, body: { reason: reason.trim() } })}
        >
          {texts.viewAs}
        </DialogActs>
      }
    >
      <TextField
        label={texts.reason}
        hint={texts.viewReason}
        value={reason}
        onChange={setReason}
        dir={format.language === 'fa' ? 'auto' : 'ltr'}
      />
    </Dialog>
  );
}
