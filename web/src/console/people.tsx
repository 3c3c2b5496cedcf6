/** The account switcher, and the page of someone who has no account yet. */

import type { acceptInvitation, changeMe, createOwnAccount, listOwnInvitations } from '@dargah/api/console/me.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useChange, useRead } from '../api/read.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { ME_KEY, useMe, useOwnAccount } from '../session.tsx';
import { useShellTexts } from '../shell/texts.ts';
import { labelOf } from '../texts/dictionary.tsx';
import { useShared } from '../texts/shared.ts';
import { useConsoleTexts } from './texts.ts';
import { useEndViewing } from './viewing.tsx';

export function AccountSwitch() {
  const common = useShellTexts();
  const me = useMe();
  const own = useOwnAccount();
  const texts = useConsoleTexts();
  const end = useEndViewing();
  const choose = useChooseAccount();
  const [making, setMaking] = useState(false);
  return (
    <>
      <Menu
        label={common.switchAccount}
        className="account-switch"
        button={
          <>
            <span className="face" aria-hidden="true">
              {(own?.name ?? '؟').slice(0, 1)}
            </span>
            <span className="who">
              <b>
                <bdi>{own?.name}</bdi>
              </b>
              <span className="xs dim">{labelOf(common.roles, own?.role ?? '') ?? ''}</span>
            </span>
            <Icon name="updown" />
          </>
        }
        items={
          // Staff who view an account stay with it until they stop viewing.
          me.viewing !== null
            ? [{ name: texts.endViewing, icon: 'out' as const, run: () => end.mutate({}) }]
            : [
                ...me.accounts.map((account) => ({
                  name: <bdi>{account.name}</bdi>,
                  current: account.id === own?.id,
                  run: () => choose(account.id),
                })),
                { name: common.newAccount, icon: 'plus' as const, run: () => setMaking(true) },
              ]
        }
      />
      {making && <NewAccount onClose={() => setMaking(false)} />}
    </>
  );
}

function useChooseAccount(): (id: string) => void {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const change = useChange<typeof changeMe>('PATCH /api/console/me', {
    done(me) {
      client.setQueryData(ME_KEY, me);
      navigate('/console');
    },
  });
  return (id) => change.mutate({ body: { account_id: id } });
}

function NewAccount({ onClose }: { onClose(): void }) {
  const texts = useConsoleTexts();
  const shared = useShared();
  const choose = useChooseAccount();
  const [name, setName] = useState('');
  const create = useChange<typeof createOwnAccount>('POST /api/console/accounts', {
    done(account) {
      onClose();
      choose(account.id);
    },
  });
  return (
    <Dialog
      title={texts.newAccount}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button
            type="submit"
            form="new-account"
            className="btn main"
            disabled={name.trim() === '' || create.isPending}
          >
            {texts.create}
          </button>
        </>
      }
    >
      <form
        id="new-account"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ body: { name: name.trim() } });
        }}
      >
        <TextField label={texts.accountName} value={name} onChange={setName} dir="auto" error={create.error?.message} />
      </form>
    </Dialog>
  );
}

export function FirstAccount() {
  const texts = useConsoleTexts();
  const shell = useShellTexts();
  const me = useMe();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const refresh = () => void client.resetQueries();
  const create = useChange<typeof createOwnAccount>('POST /api/console/accounts', { done: refresh });
  const invitations = useRead<typeof listOwnInvitations>('GET /api/console/me/invitations', {}).data?.data ?? [];
  const accept = useChange<typeof acceptInvitation>('POST /api/console/me/invitations/accept', { done: refresh });
  return (
    <main id="main" className="gate-page">
      <div className="panel gate-card">
        <h1>{texts.noAccount}</h1>
        <p className="mid text">{texts.noAccountText}</p>
        {invitations.map((invitation) => (
          <button
            key={invitation.id}
            type="button"
            className="btn"
            onClick={() => accept.mutate({ body: { id: invitation.id } })}
          >
            <bdi>{invitation.account_name}</bdi>
          </button>
        ))}
        <Form onSubmit={() => create.mutate({ body: { name: name.trim() } })}>
          <TextField label={texts.accountName} value={name} onChange={setName} dir="auto" />
          <button type="submit" className="btn main" disabled={name.trim() === '' || create.isPending}>
            {texts.create}
          </button>
        </Form>
        <div className="row between">
          <Link href="/console/settings/security">{shell.security}</Link>
          {me.staff !== null && <a href="/operator">{shell.toOperator}</a>}
        </div>
      </div>
    </main>
  );
}
