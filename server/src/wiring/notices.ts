/** Alerts, wired: who is told, how it is carried, and what is watched while nobody asks. */
import { randomInt } from 'node:crypto';
import type { Settings } from '../config/index.ts';
import { createNotices, createTargets, type MessageSender, Outbox, Watch } from '../notices/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { createSafePost, isTrustedHost } from '../platform/upstream/index.ts';
import type { Foundation } from './foundation.ts';

const DELIVER_MS = 2_000;
const WATCH_MS = 30_000;
const MOST_AT_ONCE = 50;
const SCALE = 1_000_000;

/** Without people nobody can be written to; the console and webhooks work. */
const NO_MESSENGER: MessageSender = { can: () => false, send: () => undefined };

export function openNotices(base: Foundation, settings: Settings) {
  const { db, clock, log, secrets, keys, background } = base;
  const notices = createNotices({ ...base.tools, recipients: async (_tx: Queryable) => ({ email: [], sms: [] }) });
  const trusted = settings.fetchAllowedHosts;
  const targets = createTargets({ ...base.tools, isTrusted: (url) => isTrustedHost(url, trusted) });
  const post = createSafePost({ clock, allowedHosts: trusted });
  const chance = () => randomInt(SCALE) / SCALE;
  const outbox = new Outbox({ db, clock, log, secrets, notices, post, messenger: NO_MESSENGER, chance });
  const watch = new Watch({ db, clock, log, notices, keys });
  background.every(DELIVER_MS, 'notice outbox', async () => {
    await outbox.deliverDue(MOST_AT_ONCE);
  });
  background.every(WATCH_MS, 'alerts', () => watch.look());
  return { notices, targets, db, clock };
}
