/** One connection of the browser for everything live: requests as they end, and which things changed. Pages subscribe to it; nothing is polled. */

import type { followRequests } from '@dargah/api/console/own-requests.ts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { Result } from './call.ts';
import { forgetChanged, type LiveChange, type ShownBy } from './changes.ts';
import { followTogether } from './follow-together.ts';
import { forget } from './read.ts';

export type LiveRequest = Result<typeof followRequests>;
type Listener = (request: LiveRequest) => void;

interface Live {
  connected: boolean;
  listen(listener: Listener): () => void;
}

const LiveContext = createContext<Live>({ connected: false, listen: () => () => undefined });

const ACCOUNT = 'GET /api/console/account';
const WALLET = 'GET /api/console/wallet';
const LIMITS = 'GET /api/console/limits';
const KEYS = 'GET /api/console/keys';
const SPEND = 'GET /api/console/keys/:id/spend';
const ORDERS = 'GET /api/console/wallet/orders';
const ORDER = 'GET /api/console/wallet/orders/:id';
const ME = 'GET /api/console/me';
const MODELS = 'GET /api/console/models';
const AUDIT_LOG = 'GET /api/console/trail';

const PRIVACY = 'GET /api/console/privacy';

const BATCHES = ['GET /api/console/batches', 'GET /api/console/batches/:id'];

const SHOWN_BY: ShownBy = {
  account: [ACCOUNT, LIMITS, WALLET, ME, MODELS, PRIVACY, AUDIT_LOG],
  alerts: ['GET /api/console/alerts/rules', 'GET /api/console/alerts/targets', 'GET /api/console/alerts/deliveries'],
  announcements: ['GET /api/console/announcements', 'GET /api/console/incidents'],
  batches: BATCHES,
  catalog: [MODELS],
  keys: [KEYS, SPEND, 'GET /api/console/budgets', PRIVACY, AUDIT_LOG],
  knowledge: ['GET /api/console/knowledge-bases', 'GET /api/console/knowledge-bases/:id/documents'],
  management_keys: ['GET /api/console/management-keys', AUDIT_LOG],
  members: ['GET /api/console/members', 'GET /api/console/invitations', ME, ACCOUNT, AUDIT_LOG],
  notices: ['GET /api/console/notices'],
  orders: [ORDERS, ORDER, 'GET /api/console/wallet/invoices'],
  tickets: ['GET /api/console/tickets', 'GET /api/console/tickets/:id'],
  wallet: [WALLET, LIMITS, 'GET /api/console/wallet/movements', AUDIT_LOG],
};

/** What a request that ended has changed. */
const TOUCHED = [WALLET, LIMITS, SPEND, ...BATCHES];
/** Sums over many requests are more expensive, so they are read less often. */
const SUMS = ['GET /api/console/usage/series', 'GET /api/console/usage/breakdown', KEYS];
/** A busy account ends hundreds of requests a second; its figures are read again at most this often. */
const REST_MS = 2_000;
const SUMS_REST_MS = 15_000;

export function LiveProvider({
  person,
  account,
  children,
}: {
  person: string;
  /** Empty while nothing can be followed. */
  account: string;
  children: ReactNode;
}) {
  const client = useQueryClient();
  const listeners = useRef(new Set<Listener>());
  const [connected, setConnected] = useState(false);
  useEffect(() => {
    if (account === '') return;
    const spending = restingFigures(client);
    const address = `/api/console/live?account=${encodeURIComponent(account)}`;
    const end = followTogether(`${person} ${address}`, address, {
      connected: setConnected,
      // A person who was removed or signed out learns it from this read.
      refused: () => forget(client, [ME]),
      missed: () => void client.invalidateQueries(),
      on: {
        request(data) {
          for (const listener of listeners.current) listener(data as LiveRequest);
          spending.touched();
        },
        changed(data) {
          const change = data as LiveChange;
          if (change.what === 'usage') spending.touched();
          else forgetChanged(client, SHOWN_BY, change);
        },
      },
    });
    return () => {
      end();
      spending.stop();
    };
  }, [person, account, client]);
  const value = useMemo(
    () => ({
      connected,
      listen(listener: Listener) {
        listeners.current.add(listener);
        return () => void listeners.current.delete(listener);
      },
    }),
    [connected],
  );
  return <LiveContext value={value}>{children}</LiveContext>;
}

/** The figures that requests change, read again at limited intervals. */
function restingFigures(client: QueryClient) {
  let resting: ReturnType<typeof setTimeout> | undefined;
  let summing: ReturnType<typeof setTimeout> | undefined;
  let summedAt = 0;
  return {
    touched() {
      resting ??= setTimeout(() => {
        resting = undefined;
        forget(client, TOUCHED);
      }, REST_MS);
      // The first one soon, so that a new account sees its first request in the figures; later ones seldom.
      summing ??= setTimeout(
        () => {
          summing = undefined;
          summedAt = performance.now();
          forget(client, SUMS);
        },
        summedAt === 0 ? REST_MS : Math.max(REST_MS, summedAt + SUMS_REST_MS - performance.now()),
      );
    },
    stop() {
      clearTimeout(resting);
      clearTimeout(summing);
    },
  };
}

export function useLive(): Live {
  return useContext(LiveContext);
}

/** The newest requests since the page was opened, newest first; none while `paused`. */
export function useLiveRequests(limit: number, paused = false): LiveRequest[] {
  const { listen } = useLive();
  const [found, setFound] = useState<LiveRequest[]>([]);
  useEffect(() => {
    if (paused) return;
    return listen((request) =>
      setFound((before) => [request, ...before.filter(({ id }) => id !== request.id)].slice(0, limit)),
    );
  }, [listen, limit, paused]);
  return found;
}
