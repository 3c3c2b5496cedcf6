/** Who is signed in. Nothing of it is kept in the browser: the cookie cannot be read here, and the rest is asked for. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import type { getOwnAccount } from '../../server/src/http/console/routes/account.ts';
import type { getMe } from '../../server/src/http/console/routes/me.ts';
import type { signOut } from '../../server/src/http/console/routes/sign-in.ts';
import { call, type Result, setAccountOfCalls, whenSignedOut } from './api/call.ts';
import { useRead } from './api/read.ts';

export type Me = Result<typeof getMe>;

const MeContext = createContext<Me | undefined>(undefined);

export function useMeQuery() {
  return useRead<typeof getMe>('GET /api/console/me', {});
}

/**
 * A session that ends while a page is open: who is signed in is asked again, and its refusal brings the sign-in. A wrong
 * password is refused in the same way, so nothing is asked before somebody was signed in: the form would lose what is written.
 */
export function useSessionEnd({ data, refetch }: ReturnType<typeof useMeQuery>): void {
  const wasIn = data !== undefined;
  useEffect(() => {
    // The question itself is refused too; that must not ask it once more.
    whenSignedOut(wasIn ? () => void refetch({ cancelRefetch: false }) : () => undefined);
  }, [wasIn, refetch]);
}

export function MeProvider({ me, children }: { me: Me; children: ReactNode }) {
  // Before any page below renders, so that its first read is already for the right account.
  setAccountOfCalls(me.viewing?.account_id ?? me.account_id ?? undefined);
  return <MeContext value={me}>{children}</MeContext>;
}

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === undefined) throw new Error('useMe outside of MeProvider');
  return me;
}

/** The account that is on the screen, with my role in it. Staff that looks on as a customer is a viewer there. */
export function useOwnAccount(): Me['accounts'][number] | undefined {
  const me = useMe();
  const id = me.account_id;
  const member = me.accounts.find((account) => account.id === id);
  const isLookingOn = me.viewing !== null && member === undefined;
  const viewed = useRead<typeof getOwnAccount>('GET /api/console/account', {}, { enabled: isLookingOn }).data;
  if (isLookingOn && id !== null)
    return { id, name: viewed?.name ?? '', role: 'viewer', closed: viewed !== undefined && viewed.closed_at !== null };
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
    // Conversations of the playground stay in this browser only while their owner is signed in.
    localStorage.removeItem('dargah.playground');
    client.clear();
    location.assign(location.pathname.startsWith('/operator') ? '/operator' : '/console');
  };
}
