/** The operator's side: the same parts with a dark navigation, so that nobody mistakes it for the console. */

import type { getCreditLimits } from '@dargah/api/admin/by-hand.ts';
import type { getOffer } from '@dargah/api/admin/offers.ts';
import type { listOperatorTokens } from '@dargah/api/admin/operator-tokens.ts';
import type { listPeople, listStaff } from '@dargah/api/admin/people.ts';
import type { auditBooks } from '@dargah/api/admin/service.ts';
import type { listTickets } from '@dargah/api/admin/support.ts';
import { lazy, Suspense } from 'react';
import { Link, Route, Switch } from 'wouter';
import { useFormat } from '../format.ts';
import { Empty } from '../parts/page-frame.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { SessionProvider, useSession, useSignOut } from '../session.tsx';
import type { NavLink } from '../shell/nav-link.ts';
import type { PaletteEntry } from '../shell/palette.tsx';
import { PersonMenu } from '../shell/person-menu.tsx';
import { Shell } from '../shell/shell.tsx';
import { useShellTexts } from '../shell/texts.ts';
import { ProofAsker } from '../sign-in/proof.tsx';
import { ReplacePassword } from '../sign-in/replace-password.tsx';
import { SignIn, SignInAgain } from '../sign-in/sign-in.tsx';
import { BooksPill } from './books-pill.tsx';
import { useServiceLive } from './live.ts';
import { useStaffMay } from './may.ts';
import { useOpenOutages } from './outages/use-open-outages.ts';
import { useOpenSetup } from './setup/card.tsx';
import { useTexts } from './texts.ts';

const Overview = lazy(() => import('./overview/page.tsx'));
const Accounts = lazy(() => import('./accounts/page.tsx'));
const Account = lazy(() => import('./accounts/account.tsx'));
const Requests = lazy(() => import('./requests/page.tsx'));
const Models = lazy(() => import('./models/page.tsx'));
const Providers = lazy(() => import('./providers/page.tsx'));
const Offer = lazy(() => import('./providers/offer.tsx'));
const Changes = lazy(() => import('./models/changes.tsx'));
const Groups = lazy(() => import('./groups/page.tsx'));
const Payments = lazy(() => import('./payments/page.tsx'));
const Books = lazy(() => import('./books/page.tsx'));
const Order = lazy(() => import('./payments/order.tsx'));
const People = lazy(() => import('./people/page.tsx'));
const Ledger = lazy(() => import('./ledger/page.tsx'));
const ByHand = lazy(() => import('./by-hand/page.tsx'));
const Settlement = lazy(() => import('./books/settlement/page.tsx'));
const SettlementOne = lazy(() => import('./books/settlement/one.tsx'));
const Bills = lazy(() => import('./books/bills/page.tsx'));
const Documents = lazy(() => import('./books/documents/page.tsx'));
const Tickets = lazy(() => import('./tickets/page.tsx'));
const News = lazy(() => import('./news/page.tsx'));
const Setup = lazy(() => import('./setup/page.tsx'));
const Outages = lazy(() => import('./outages/page.tsx'));
const ConformanceMatrix = lazy(() => import('./conformance/page.tsx'));
const Settings = lazy(() => import('./settings/page.tsx'));
const Staff = lazy(() => import('./staff/page.tsx'));
const StaffAlerts = lazy(() => import('./staff/alerts/page.tsx'));
const Tokens = lazy(() => import('./tokens/page.tsx'));
const AuditLog = lazy(() => import('./audit-log/page.tsx'));
const System = lazy(() => import('./system/page.tsx'));
const SecurityOnly = lazy(() => import('../security/security-only.tsx'));

export default function OperatorArea() {
  const session = useSession();
  const signOut = useSignOut();
  const texts = useTexts();
  if (session.state === 'asking') return null;
  if (session.state === 'out') return <SignIn area="operator" />;
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
  if (me.staff === null) {
    return (
      <main id="main" className="gate-page">
        <Empty page title={texts.noStaff} text={texts.noStaffText}>
          <button type="button" className="btn" onClick={() => void signOut()}>
            {texts.otherSignIn}
          </button>
        </Empty>
      </main>
    );
  }
  return (
    <SessionProvider me={me} isOver={isOver}>
      {me.staff.second_factor_missing ? <SecurityOnly area="operator" /> : <Inside />}
      <ProofAsker />
      {isOver && <SignInAgain area="operator" onIn={again} />}
    </SessionProvider>
  );
}

/** Pages that a role may not read are neither linked nor served. */
function useSees() {
  return {
    seesStaff: useStaffMay<typeof listStaff>(['owner']),
    seesPeople: useStaffMay<typeof listPeople>(['owner', 'support']),
    seesBooks: useStaffMay<typeof auditBooks>(['owner', 'finance']),
    seesOffers: useStaffMay<typeof getOffer>(['owner', 'finance']),
    seesByHand: useStaffMay<typeof getCreditLimits>(['owner', 'finance', 'support']),
    seesTickets: useStaffMay<typeof listTickets>(['owner', 'support', 'finance']),
  };
}

function Inside() {
  useServiceLive();
  const { seesBooks, seesByHand, seesOffers, seesPeople, seesTickets } = useSees();
  const shell = useShellTexts();
  const find = (typed: string): PaletteEntry[] => {
    if (typed === '') return [];
    if (/^req[_-]\w{6,}$/i.test(typed))
      return [{ to: `/operator/requests/${typed}`, icon: 'list', name: shell.openRequest, id: typed }];
    return [
      { to: `/operator/accounts?q=${encodeURIComponent(typed)}`, icon: 'build', name: shell.openAccount, id: typed },
    ];
  };
  return (
    <Shell
      area="operator"
      home="/operator"
      groups={useOperatorPages()}
      purse={<BooksPill linked={seesBooks} />}
      person={<PersonMenu />}
      find={find}
    >
      <Suspense fallback={<span className="skel block" />}>
        <Switch>
          <Route path="/operator" component={Overview} />
          <Route path="/operator/accounts" component={Accounts} />
          <Route path="/operator/accounts/:id/:tab?" component={Account} />
          <Route path="/operator/requests/:id?" component={Requests} />
          <Route path="/operator/outages" component={Outages} />
          <Route path="/operator/conformance" component={ConformanceMatrix} />
          <Route path="/operator/models" component={Models} />
          <Route path="/operator/providers" component={Providers} />
          {seesOffers && <Route path="/operator/providers/:id/offer" component={Offer} />}
          {seesOffers && <Route path="/operator/changes/:id?" component={Changes} />}
          <Route path="/operator/groups" component={Groups} />
          {seesBooks && <Route path="/operator/payments/:tab?" component={Payments} />}
          <Route path="/operator/orders/:id" component={Order} />
          {seesPeople && <Route path="/operator/people" component={People} />}
          {seesBooks && <Route path="/operator/ledger/:tab?" component={Ledger} />}
          {seesBooks && <Route path="/operator/books/settlement" component={Settlement} />}
          {seesBooks && <Route path="/operator/books/settlement/:id" component={SettlementOne} />}
          {seesBooks && <Route path="/operator/books/bills" component={Bills} />}
          {seesBooks && <Route path="/operator/books/documents" component={Documents} />}
          {seesBooks && <Route path="/operator/books/:tab?" component={Books} />}
          {seesByHand && <Route path="/operator/by-hand" component={ByHand} />}
          {seesTickets && <Route path="/operator/tickets/:id?" component={Tickets} />}
          <Route path="/operator/news" component={News} />
          <Route path="/operator/setup" component={Setup} />
          <Route path="/operator/settings" component={Settings} />
          <Route path="/operator/staff" component={Staff} />
          <Route path="/operator/staff/alerts" component={StaffAlerts} />
          <Route path="/operator/outbox" component={Staff} />
          <Route path="/operator/tokens" component={Tokens} />
          <Route path="/operator/trail" component={AuditLog} />
          <Route path="/operator/system" component={System} />
          <Route component={Missing} />
        </Switch>
      </Suspense>
    </Shell>
  );
}

/** The page does not exist, or not for this role. */
function Missing() {
  const texts = useTexts();
  return (
    <Empty page title={texts.missing} text={texts.missingText}>
      <Link href="/operator" className="btn">
        {texts.nav.overview}
      </Link>
    </Empty>
  );
}

function useOperatorPages(): NavLink[][] {
  const { nav } = useTexts();
  const { seesStaff, seesBooks, seesByHand, seesPeople, seesTickets } = useSees();
  const isNew = useOpenSetup() !== undefined;
  const outages = useOpenOutages()?.length ?? 0;
  const { number } = useFormat();
  const seesTokens = useStaffMay<typeof listOperatorTokens>(['owner']);
  return [
    [
      { to: '/operator', icon: 'home', name: nav.overview },
      ...(isNew ? [{ to: '/operator/setup', icon: 'check', name: nav.setup } as const] : []),
      { to: '/operator/accounts', icon: 'build', name: nav.accounts },
      ...(seesPeople ? [{ to: '/operator/people', icon: 'users', name: nav.people } as const] : []),
      { to: '/operator/requests', icon: 'list', name: nav.requests },
      {
        to: '/operator/outages',
        icon: 'warn',
        name: nav.outages,
        ...(outages === 0 ? {} : { count: number(outages) }),
      },
      { to: '/operator/models', icon: 'tag', name: nav.models },
      { to: '/operator/providers', icon: 'plug', name: nav.providers },
      { to: '/operator/conformance', icon: 'flask', name: nav.conformance },
      { to: '/operator/groups', icon: 'layers', name: nav.groups },
    ],
    [
      ...(seesBooks ? [{ to: '/operator/payments', icon: 'card', name: nav.payments } as const] : []),
      ...(seesBooks ? [{ to: '/operator/ledger', icon: 'scale', name: nav.ledger } as const] : []),
      ...(seesBooks ? [{ to: '/operator/books', icon: 'calendar', name: nav.books } as const] : []),
      ...(seesByHand ? [{ to: '/operator/by-hand', icon: 'wallet', name: nav.byHand } as const] : []),
      ...(seesTickets ? [{ to: '/operator/tickets', icon: 'ticket', name: nav.tickets } as const] : []),
      { to: '/operator/news', icon: 'horn', name: nav.news },
    ],
    [
      { to: '/operator/settings', icon: 'gear', name: nav.settings },
      ...(seesStaff ? [{ to: '/operator/staff', icon: 'users', name: nav.staff } as const] : []),
      { to: '/operator/staff/alerts', icon: 'bell', name: nav.myAlerts },
      ...(seesTokens ? [{ to: '/operator/tokens', icon: 'key', name: nav.tokens } as const] : []),
      { to: '/operator/trail', icon: 'trail', name: nav.trail },
      { to: '/operator/system', icon: 'server', name: nav.system },
    ],
  ];
}
