/**
 * A place for tests of outages: a database, a clock moved by hand, replicas that count and look, and a messenger that keeps what it
 * sends. Time passes in steps of the service's own timers, so "within a minute" is a matter of looks and not of the machine.
 */
import { randomBytes } from 'node:crypto';
import {
  createNotices,
  createStaffAlerts,
  createStaffTargets,
  OutageWatch,
  type OwnFacts,
  ownConditions,
  StaffOutbox,
} from '../../src/notices/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import type { SafePost } from '../../src/platform/upstream/index.ts';
import { createUptime, type Uptime } from '../../src/uptime/index.ts';
import { whoPays } from '../../src/wiring/recipients.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { handBackground } from '../services/hand-background.ts';
import { recordedLog } from '../services/silent-log.ts';

const STEP_MS = 10_000;
export const MINUTE = 60_000;

type Counted = Parameters<Uptime['finished']>[0];

export interface Sent {
  channel: string;
  to: string;
  subject: string;
  text: string;
  /** When, by the clock of the test. */
  at: number;
}

export class OutageStage {
  readonly clock = new HandClock();
  readonly sent: Sent[] = [];
  readonly posted: { url: string; body: string; headers: Record<string, string> }[] = [];
  readonly tested: string[] = [];
  testPasses: boolean | undefined = true;
  facts: Partial<OwnFacts> = {};
  circuits: { target: string; provider: string }[] = [];
  temporary!: TemporaryDatabase;
  replicas: { uptime: Uptime; watch: OutageWatch }[] = [];
  #people = 0;

  async open(replicas = 2): Promise<void> {
    this.temporary = await openTemporaryDatabase();
    this.replicas = Array.from({ length: replicas }, (_, at) => this.#replica(at));
  }

  /** Empties what the test before left; people stay. */
  async clear(): Promise<void> {
    await this.db.query(
      `delete from notice; delete from outage; delete from alert_memory; delete from health_minute; delete from health_cause;
       delete from health_account`,
    );
    this.sent.length = 0;
    this.posted.length = 0;
    this.tested.length = 0;
    this.facts = {};
    this.circuits = [];
    this.testPasses = true;
    this.clock.advance(2 * 86_400_000);
  }

  close(): Promise<void> {
    return this.temporary.remove();
  }

  get db() {
    return this.temporary.db;
  }

  readonly messenger = {
    can: () => true,
    deliver: async ({ channel, to, subject, text }: Omit<Sent, 'at'>) =>
      void this.sent.push({ channel, to, subject, text, at: this.clock.now() }),
  };

  get staff() {
    return createStaffAlerts({ db: this.db, clock: this.clock, randomBytes, messenger: this.messenger });
  }

  get targets() {
    return createStaffTargets({ db: this.db, clock: this.clock, randomBytes, secrets: SECRETS });
  }

  get notices() {
    return createNotices({ db: this.db, clock: this.clock, randomBytes, recipients: whoPays, staff: this.staff });
  }

  outbox(post?: SafePost): StaffOutbox {
    const { clock, db, messenger } = this;
    return new StaffOutbox({
      db,
      clock,
      log: recordedLog(),
      secrets: SECRETS,
      messenger,
      origin: 'https://gate.example',
      chance: () => 0,
      post:
        post ??
        (async (url, { headers, body }) => {
          this.posted.push({ url, body, headers });
          return 204;
        }),
    });
  }

  #replica(at: number) {
    const { clock, db } = this;
    const uptime = createUptime({ db, clock, background: handBackground().background, keepDays: () => 90 });
    const watch = new OutageWatch({
      db,
      clock,
      randomBytes,
      notices: this.notices,
      conditions: () => ownConditions({ ...healthy(`rep_${at}`), ...this.facts }, clock.now()),
      openCircuits: () => this.circuits,
      watchCredentials: (credentials) => uptime.health.watchCredentials(credentials),
      testProvider: async (id) => {
        this.tested.push(id);
        return this.testPasses;
      },
    });
    return { uptime, watch };
  }

  /** A request ends at one of the replicas. */
  ended(over: Partial<Counted> = {}, replica = 0): void {
    this.replicas[replica]?.uptime.finished({
      model: 'maker/one',
      accountId: 'acc_1',
      state: 'completed',
      status: 200,
      errorCode: null,
      firstEventMs: 5,
      attempts: [attempt('vendor', 'ok', 200)],
      ...over,
    });
  }

  failed(over: Partial<Counted> = {}, replica = 0): void {
    this.ended(
      {
        state: 'failed',
        status: 502,
        errorCode: 'upstream_error',
        firstEventMs: null,
        attempts: [attempt('vendor', 'server', 529)],
        ...over,
      },
      replica,
    );
  }

  /** The timers of all replicas, once every ten seconds for so long; seldom where only the hours count. */
  async pass(ms: number, stepMs = STEP_MS): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.advance(stepMs);
      await Promise.all(this.replicas.map(({ uptime }) => uptime.health.flush()));
      await Promise.all(this.replicas.map(({ watch }) => watch.look()));
      const outbox = this.outbox();
      await Promise.all([outbox.deliverDue(50), outbox.deliverDue(50)]);
    }
  }

  async person(role: string, identities: { email?: string; mobile?: string }, language = 'en'): Promise<string> {
    const id = `per_${++this.#people}`;
    const now = new Date(this.clock.now());
    await this.db.query('insert into person (id, name, language, created_at) values ($1, $1, $2, $3)', [
      id,
      language,
      now,
    ]);
    await this.db.query('insert into staff (person_id, role, created_at) values ($1, $2, $3)', [id, role, now]);
    for (const [kind, value] of Object.entries(identities))
      await this.db.query('insert into identity (id, person_id, kind, value, created_at) values ($1, $2, $3, $4, $5)', [
        `${id}:${kind}`,
        id,
        kind,
        value,
        now,
      ]);
    return id;
  }

  outages() {
    return this.db.query<{
      kind: string;
      subject: string;
      severity: string;
      ending: string | null;
      failed: bigint;
      accounts: number;
      cause: string | null;
      provider: string | null;
      reopened: number;
    }>(
      'select kind, subject, severity, ending, failed, accounts, cause, provider, reopened from outage order by opened_at, id',
    );
  }
}

const SECRETS = createSecretBox(Buffer.alloc(32, 5));

function healthy(replica: string): OwnFacts {
  return {
    replica,
    journal: () => ({ depth: 0, bytes: 0 }),
    journalMax: { records: 100, bytes: 1_000_000 },
    disk: async () => ({ freeBytes: 50, totalBytes: 100 }),
    silentGateways: () => [],
    smsRefusedSince: () => undefined,
    books: async () => ({ verdict: 'proven', provedAt: new Date(0), reason: null, failing: [] }),
    staleRate: () => undefined,
  };
}

export function attempt(
  provider: string,
  outcome: string,
  status: number | null,
  more: { credential?: string; noBalance?: boolean } = {},
) {
  return { provider, route: `${provider}/route`, credential: 'cred_1', outcome, status, firstEventMs: null, ...more };
}
