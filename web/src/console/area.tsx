/** The customer's side. Each page is loaded when it is opened. */

import type { getOwnAccount } from '@dargah/api/console/account.ts';
import type { listKeys } from '@dargah/api/console/keys.ts';
import type { getWallet } from '@dargah/api/console/own-money.ts';
import { lazy, Suspense, useEffect } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { LiveProvider } from '../api/live.tsx';
import { useRead } from '../api/read.ts';
import { BrandMark, useBrandName } from '../brand.tsx';
import { Amount } from '../parts/figures.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, Note } from '../parts/page-frame.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { usePreferences } from '../preferences.tsx';
import { SessionProvider, useIsSessionOver, useMe, useOwnAccount, useSession } from '../session.tsx';
import type { PaletteEntry } from '../shell/palette.tsx';
import { PersonMenu } from '../shell/person-menu.tsx';
import { Shell } from '../shell/shell.tsx';
import { StillFrame } from '../shell/still-frame.tsx';
import { useShellTexts } from '../shell/texts.ts';
import { ProofAsker } from '../sign-in/proof.tsx';
import { ReplacePassword } from '../sign-in/replace-password.tsx';
import { SignIn, SignInAgain } from '../sign-in/sign-in.tsx';
import { useConsoleLinks } from './nav.ts';
import Overview from './overview/page.tsx';
import { AccountSwitch, FirstAccount } from './people.tsx';
import { useConsoleTexts } from './texts.ts';
import { ViewingBanner } from './viewing.tsx';

/** The server wrote the frame into the page, because the browser has a session. */
const wasFramed = document.querySelector('#root > .app') !== null;

const pages = () => import('./pages.ts');
const page = <Name extends keyof Awaited<ReturnType<typeof pages>>>(name: Name) =>
  lazy(async () => ({ default: (await pages())[name] }));

const BlockedPage = page('BlockedPage');
const Keys = page('Keys');
const Usage = page('Usage');
const Requests = page('Requests');
const Wallet = page('Wallet');
const Knowledge = page('Knowledge');
const Batches = page('Batches');
const Limits = page('Limits');
const Alerts = page('Alerts');
const Members = page('Members');
const Tickets = page('Tickets');
const Settings = page('Settings');
const EndSessions = page('EndSessions');
const SecurityOnly = page('SecurityOnly');
const Playground = lazy(() => import('./playground/page.tsx'));

export default function ConsoleArea() {
  return location.pathname === '/console/end-sessions' ? <EndSessions /> : <SignedInArea />;
}

function SignedInArea() {
  const session = useSession();
  if (session.state === 'asking') return <Asking />;
  if (session.state === 'out') return <SignIn area="customer" />;
  if (session.state === 'trouble') return <Trouble error={session.error} again={session.again} />;
  const { me, isOver, again } = session;
  if (me.password_change_required) {
    return (
      <SessionProvider me={me} isOver={isOver}>
        <ReplacePassword />
        <ProofAsker />
      </SessionProvider>
    );
  }
  return (
    <SessionProvider me={me} isOver={isOver}>
      {me.accounts.length === 0 && me.viewing === null ? <NoAccount /> : <Inside />}
      <ProofAsker />
      {isOver && <SignInAgain area="customer" onIn={again} />}
    </SessionProvider>
  );
}

/** With a session its frame is shown at once; without one nothing is shown until the sign-in is ready. */
function Asking() {
  const groups = useConsoleLinks();
  const name = useBrandName();
  if (!wasFramed) return null;
  return (
    <StillFrame
      home="/console"
      groups={groups}
      brand={
        <>
          <BrandMark />
          {name}
        </>
      }
    />
  );
}

/** A person's password, passkeys and second factor are their own, with or without an account. */
function NoAccount() {
  const [path] = useLocation();
  return path.startsWith('/console/settings') ? <SecurityOnly area="customer" /> : <FirstAccount />;
}

function Inside() {
  const me = useMe();
  const isOver = useIsSessionOver();
  const own = useOwnAccount();
  const texts = useConsoleTexts();
  const [path] = useLocation();
  const isShut = own !== undefined && own.blocked !== null;
  const { setAccountTime } = usePreferences();
  const account = useRead<typeof getOwnAccount>('GET /api/console/account', {}).data;
  const accountId = own?.id ?? '';
  useEffect(() => {
    if (account === undefined) return;
    const { month = 'jalali', time_zone: timeZone = 'Asia/Tehran' } = account.calendar;
    setAccountTime({ calendar: month, timeZone });
  }, [account, setAccountTime]);
  return (
    <LiveProvider key={accountId} person={me.person.id} account={isOver ? '' : accountId}>
      <Shell
        area="customer"
        home="/console"
        groups={useConsoleLinks()}
        switcher={<AccountSwitch />}
        purse={<Purse />}
        person={<PersonMenu />}
        foot={<a href="/status">{texts.status}</a>}
        banner={
          <>
            {me.viewing !== null && <ViewingBanner />}
            {isShut && path !== '/console' && <BlockedBanner />}
          </>
        }
        find={usePaletteFinder()}
      >
        <Suspense fallback={<Skeleton shape="page" />}>
          <Switch>
            <Route path="/console" component={isShut ? BlockedPage : Overview} />
            <Route path="/console/keys/:id?" component={Keys} />
            <Route path="/console/usage" component={Usage} />
            <Route path="/console/requests/:id?" component={Requests} />
            <Route path="/console/wallet/:tab?/:id?" component={Wallet} />
            <Route path="/console/knowledge/:id?" component={Knowledge} />
            <Route path="/console/batches/:id?" component={Batches} />
            <Route path="/console/playground" component={Playground} />
            <Route path="/console/limits" component={Limits} />
            <Route path="/console/alerts" component={Alerts} />
            <Route path="/console/members" component={Members} />
            <Route path="/console/tickets/:id?" component={Tickets} />
            <Route path="/console/settings/:tab?" component={Settings} />
            <Route component={NotFound} />
          </Switch>
        </Suspense>
      </Shell>
    </LiveProvider>
  );
}

/** Keys by name, and a request by its id. */
function usePaletteFinder(): (typed: string) => PaletteEntry[] {
  const shell = useShellTexts();
  const own = useOwnAccount();
  const keys = useRead<typeof listKeys>(
    'GET /api/console/keys',
    { query: {} },
    { enabled: own?.role !== 'billing' },
  ).data;
  return (typed) => {
    if (typed === '') return [];
    const found: PaletteEntry[] = (keys?.data ?? [])
      .filter(({ name, last4 }) => name.toLowerCase().includes(typed.toLowerCase()) || last4 === typed.slice(-4))
      .slice(0, 5)
      .map(({ id, name, last4 }) => ({ to: `/console/keys/${id}`, icon: 'key', name, id: `dg-…${last4}` }));
    if (/^req[_-]\w{6,}$/i.test(typed)) {
      found.unshift({ to: `/console/requests/${typed}`, icon: 'list', name: shell.openRequest, id: typed });
    }
    return found;
  };
}

function Purse() {
  const texts = useShellTexts();
  const wallet = useRead<typeof getWallet>('GET /api/console/wallet', {}).data;
  const [, navigate] = useLocation();
  return (
    <a
      className="purse"
      href="/console/wallet"
      title={texts.available}
      onClick={(event) => {
        event.preventDefault();
        navigate('/console/wallet');
      }}
    >
      <Icon name="wallet" />
      {wallet === undefined ? (
        <span className="skel w3" />
      ) : (
        <Amount value={wallet.available.split('.')[0] ?? '0'} unit />
      )}
    </a>
  );
}

function NotFound() {
  const texts = useConsoleTexts();
  return (
    <Empty page title={texts.notFound} text={texts.notFoundText}>
      <a className="btn" href="/console">
        {texts.toOverview}
      </a>
    </Empty>
  );
}

/** On every page of a blocked account: that it is blocked, and where the reason stands. */
function BlockedBanner() {
  const texts = useConsoleTexts();
  return (
    <Note tone="warn">
      {texts.blockedShort} <Link href="/console">{texts.blockedWhy}</Link>
    </Note>
  );
}
