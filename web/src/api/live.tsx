/** One connection for everything live: requests as they end, documents as they are read. Pages subscribe to it; nothing is polled. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { followRequests } from '../../../server/src/http/console/routes/usage.ts';
import type { Result } from './call.ts';
import { forget } from './read.ts';

export type LiveRequest = Result<typeof followRequests>;
type Listener = (request: LiveRequest) => void;

interface Live {
  connected: boolean;
  listen(listener: Listener): () => void;
}

const LiveContext = createContext<Live>({ connected: false, listen: () => () => undefined });

/** What a request that ended has changed. */
const TOUCHED = ['GET /api/console/wallet', 'GET /api/console/limits', 'GET /api/console/keys/:id/spend'];
/** Sums over many requests: dearer to read, so read again less often. */
const SUMS = ['GET /api/console/usage/series', 'GET /api/console/usage/breakdown', 'GET /api/console/keys'];
/** What a document that got further has changed. */
const DOCUMENTS = ['GET /api/console/knowledge-bases', 'GET /api/console/knowledge-bases/:id/documents'];
/** A busy account ends hundreds of requests a second; its figures are read again at most this often. */
const REST_MS = 2_000;
const SUMS_REST_MS = 15_000;

export function LiveProvider({
  account,
  enabled,
  children,
}: {
  account: string;
  enabled: boolean;
  children: ReactNode;
}) {
  const client = useQueryClient();
  const listeners = useRef(new Set<Listener>());
  const [connected, setConnected] = useState(false);
  useEffect(() => {
    if (!enabled) return;
    let resting: ReturnType<typeof setTimeout> | undefined;
    let summing: ReturnType<typeof setTimeout> | undefined;
    let summedAt = 0;
    const source = new EventSource(`/api/console/requests/live?account=${encodeURIComponent(account)}`);
    source.onopen = () => setConnected(true);
    source.onerror = () => setConnected(false);
    source.addEventListener('request', (event: MessageEvent<string>) => {
      const request = JSON.parse(event.data) as LiveRequest;
      for (const listener of listeners.current) listener(request);
      resting ??= setTimeout(() => {
        resting = undefined;
        forget(client, TOUCHED);
      }, REST_MS);
      // The first one soon, so that a new account sees its first request in the figures; the next ones seldom.
      summing ??= setTimeout(
        () => {
          summing = undefined;
          summedAt = performance.now();
          forget(client, SUMS);
        },
        summedAt === 0 ? REST_MS : Math.max(REST_MS, summedAt + SUMS_REST_MS - performance.now()),
      );
    });
    source.addEventListener('documents', () => forget(client, DOCUMENTS));
    return () => {
      clearTimeout(resting);
      clearTimeout(summing);
      source.close();
      setConnected(false);
    };
  }, [account, enabled, client]);
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
