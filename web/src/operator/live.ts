/** The operator's one live connection of the browser: what changed, of whichever account, is read again where it is on the screen. */
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { forgetChanged, type LiveChange, type ShownBy } from '../api/changes.ts';
import { followTogether } from '../api/follow-together.ts';
import { forget } from '../api/read.ts';
import { useIsSessionOver, useMe } from '../session.tsx';

const ADDRESS = '/api/admin/live';

const ACCOUNTS = 'GET /api/admin/accounts';
const DESK = 'GET /api/admin/accounts/:id/desk';
const HISTORY = 'GET /api/admin/accounts/:id/history';
const AUDIT_LOG = 'GET /api/admin/events';
const GIFT_CODES = 'GET /api/admin/gift-codes';
const OUTAGES = 'GET /api/admin/outages';
const SETTINGS = 'GET /api/admin/settings';
const SETUP = 'GET /api/admin/setup';

const SHOWN_BY: ShownBy = {
  account: [ACCOUNTS, 'GET /api/admin/accounts/:id', DESK, AUDIT_LOG, HISTORY],
  announcements: ['GET /api/admin/announcements', 'GET /api/admin/incidents', AUDIT_LOG],
  catalog: [
    SETUP,
    'GET /api/admin/catalog/lists',
    'GET /api/admin/groups',
    'GET /api/admin/models',
    'GET /api/admin/models/:vendor/:model/prices',
    'GET /api/admin/pricing',
    'GET /api/admin/pricing/rate-source',
    'GET /api/admin/providers',
    'GET /api/admin/tasks/costs',
    AUDIT_LOG,
  ],
  gateways: [SETUP, 'GET /api/admin/payment-gateways', AUDIT_LOG],
  gift_codes: [GIFT_CODES, AUDIT_LOG],
  keys: ['GET /api/admin/keys', AUDIT_LOG, HISTORY],
  members: ['GET /api/admin/people', 'GET /api/admin/accounts/:id/members', AUDIT_LOG, HISTORY],
  notes: ['GET /api/admin/accounts/:id/notes', HISTORY],
  operator_tokens: ['GET /api/admin/operator-tokens', AUDIT_LOG],
  orders: [SETUP, 'GET /api/admin/payments', GIFT_CODES],
  settings: [SETTINGS, SETUP, 'GET /api/admin/branding', 'GET /api/admin/invoice-settings', AUDIT_LOG],
  staff: [
    SETUP,
    'GET /api/admin/alerts',
    'GET /api/admin/alerts/everyone',
    'GET /api/admin/staff',
    'GET /api/console/me',
    AUDIT_LOG,
  ],
  staff_notices: ['GET /api/admin/notices', OUTAGES],
  tickets: ['GET /api/admin/tickets', 'GET /api/admin/tickets/:id'],
  wallet: [
    ACCOUNTS,
    'GET /api/admin/accounts/:id/transfers',
    'GET /api/admin/accounts/:id/wallet',
    DESK,
    'GET /api/admin/trial-balance',
    AUDIT_LOG,
  ],
};

/** Sums over the requests of all accounts are expensive, so they are read seldom. */
const SUMS = [
  'GET /api/admin/accounts/:id/wallet',
  'GET /api/admin/health',
  OUTAGES,
  'GET /api/admin/profit',
  'GET /api/admin/routes/health',
  'GET /api/admin/traffic',
];
const SUMS_REST_MS = 15_000;
const FIRST_REST_MS = 1_000;

/** A log with many loaded pages is not reloaded while somebody reads it. */
function isShort({ state }: Query): boolean {
  return (state.data as { pages: unknown[] } | undefined)?.pages.length === 1;
}

export function useServiceLive(): void {
  const client = useQueryClient();
  const person = useMe().person.id;
  const isOver = useIsSessionOver();
  useEffect(() => {
    if (isOver) return;
    let summing: ReturnType<typeof setTimeout> | undefined;
    let summedAt = Number.NEGATIVE_INFINITY;
    const sumLater = () => {
      summing ??= setTimeout(
        () => {
          summing = undefined;
          summedAt = performance.now();
          forget(client, SUMS);
          void client.invalidateQueries({ queryKey: ['GET /api/admin/requests'], predicate: isShort });
        },
        Math.max(FIRST_REST_MS, summedAt + SUMS_REST_MS - performance.now()),
      );
    };
    const end = followTogether(`${person} ${ADDRESS}`, ADDRESS, {
      connected: () => undefined,
      // A person who is no longer staff learns it from this read.
      refused: () => forget(client, ['GET /api/console/me']),
      missed: () => void client.invalidateQueries(),
      on: {
        changed(data) {
          const change = data as LiveChange;
          if (change.what === 'usage') sumLater();
          else forgetChanged(client, SHOWN_BY, change);
        },
      },
    });
    return () => {
      end();
      clearTimeout(summing);
    };
  }, [client, person, isOver]);
}
