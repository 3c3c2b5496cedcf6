/** Who is signed in. Nothing of it is kept in the browser: the cookie cannot be read here, and the rest is asked for. */

import type { getOwnAccount } from '@dargah/api/console/account.ts';
import type { getMe } from '@dargah/api/console/me.ts';
import type { signOut } from '@dargah/api/console/sign-in.ts';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef } from 'react';
import { call, Refused, type Result, setAccountOfCalls, whenSignedOut } from './api/call.ts';
import { useRead } from './api/read.ts';
import { hearTabs, tellTabs } from './api/tabs.ts';

export type Me = Result<typeof getMe>;

interface Session {
  me: Me;
  /** The session ended while the page was open. Unsaved input stays until the same person is back. */
  isOver: boolean;
}

const SessionContext = createContext<Session | undefined>(undefined);

const ME = 'GET /api/console/me';
/** Of the person and not of an account: the read stays the same whichever account is on the screen. */
export const ME_KEY = [ME] as const;

type SignedInState =
  | { state: 'asking' }
  | { state: 'trouble'; error: Error; again(): void }
  | { state: 'out' }
  | { state: 'in'; me: Me; isOver: boolean; again(): void };

/**
 * Who is signed in. When the session ends while a page is open, the page stays and `isOver` is true, until the same person is in
 * again, here or in another tab. Another person gets a page of their own: nothing of the two is mixed.
 */
export function useSession(): SignedInState {
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ME_KEY,
    queryFn: ({ signal }) => call<typeof getMe>(ME, { signal }),
  });
  const isOut = error instanceof Refused && error.status === 401;
  const isOver = isOut && data !== undefined;
  const again = useCallback(() => void refetch({ cancelRefetch: false }), [refetch]);
  const first = useRef<string>(undefined);
  first.current ??= data?.person.id;
  const isAnother = data !== undefined && data.person.id !== first.current;
  useEffect(() => {
    if (isAnother) location.reload();
  }, [isAnother]);
  const isIn = data !== undefined && !isOver;
  useEffect(() => {
    // A wrong password is refused in the same way, and so is the question itself: neither asks again.
    whenSignedOut(isIn ? again : () => undefined);
  }, [isIn, again]);
  useTabs(data !== undefined, again);
  useBack(client, isOver, again);
  if (isAnother || (data === undefined && isPending)) return { state: 'asking' };
  if (data !== undefined) return { state: 'in', me: data, isOver, again };
  return isOut || error === null ? { state: 'out' } : { state: 'trouble', error, again };
}

/** Signing out applies to every tab, and so does signing in. */
function useTabs(wasIn: boolean, again: () => void): void {
  useEffect(
    () =>
      hearTabs((news) => {
        if (news === 'signed-in') again();
        else if (wasIn) location.reload();
      }),
    [wasIn, again],
  );
}

/**
 * While the session is over only "who is signed in" is asked, when somebody returns to the page; then everything is
 * read again.
 */
function useBack(client: QueryClient, isOver: boolean, again: () => void): void {
  useEffect(() => {
    if (!isOver) return;
    addEventListener('focus', again);
    return () => {
      removeEventListener('focus', again);
      void client.invalidateQueries();
    };
  }, [client, isOver, again]);
}

export function SessionProvider({ me, isOver, children }: Session & { children: ReactNode }) {
  // Before any page below renders, so that its first read is already for the right account.
  setAccountOfCalls(me.viewing?.account_id ?? me.account_id ?? undefined);
  const session = useMemo(() => ({ me, isOver }), [me, isOver]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

function useCurrent(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('outside of SessionProvider');
  return session;
}

export function useMe(): Me {
  return useCurrent().me;
}

export function useIsSessionOver(): boolean {
  return useCurrent().isOver;
}

/** The account that is on the screen, with my role in it. Staff that looks on as a customer is a viewer there. */
export function useOwnAccount(): Me['accounts'][number] | undefined {
  const me = useMe();
  const id = me.account_id;
  const member = me.accounts.find((account) => account.id === id);
  const isLookingOn = me.viewing !== null && member === undefined;
  const viewed = useRead<typeof getOwnAccount>('GET /api/console/account', {}, { enabled: isLookingOn }).data;
  if (isLookingOn && id !== null)
    return {
      id,
      name: viewed?.name ?? '',
      role: 'viewer',
      closed: viewed !== undefined && viewed.closed_at !== null,
      blocked: null,
    };
  return member ?? me.accounts[0];
}

/** Whether I may change what programs use: keys, knowledge bases, alerts. */
export function useMayWrite(): boolean {
  return ['owner', 'admin', 'developer'].includes(useOwnAccount()?.role ?? '');
}

export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await call<typeof signOut>('POST /api/console/sign-out', {}).catch(() => undefined);
    // Conversations, chosen models and what was closed stay in this browser only while their owner is signed in.
    for (const name of Object.keys(localStorage)) if (name.startsWith('dargah.')) localStorage.removeItem(name);
    setAccountOfCalls(undefined);
    client.clear();
    tellTabs('signed-out');
    location.assign(location.pathname.startsWith('/operator') ? '/operator' : '/console');
  };
}
