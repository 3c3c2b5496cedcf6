/**
 * A place for tests of notices: a database with books, a clock moved by hand, a web server as the target of webhooks, and a
 * messenger that keeps what it sends. Called once by a test file; it is set up before its tests and gone after them.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createKeyService } from '../../src/keys/index.ts';
import { createNotices, createTargets, NoticeOutbox, Watch } from '../../src/notices/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createSafePost } from '../../src/platform/upstream/index.ts';
import { preparePartitions } from '../../src/requestlog/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { type Bookkeeping, keepBooks } from '../ledger/bookkeeping.ts';
import { START } from '../ledger/request-fixture.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { recordedLog } from '../services/silent-log.ts';

export const calendar = { timeZone: 'Asia/Tehran', month: 'jalali' as const };
export const HOUR = 3_600_000;

const secrets = createSecretBox(Buffer.alloc(32, 5));

export class NoticeStage {
  readonly clock = new HandClock(START);
  readonly hits: { headers: IncomingMessage['headers']; body: string }[] = [];
  readonly sentMessages: { to: string; subject: string; text: string; language: string }[] = [];
  /** What the target of webhooks answers. */
  serve: (request: IncomingMessage, response: ServerResponse, body: string) => void = (_request, response) => {
    response.end();
  };
  carriersAreAway = false;
  temporary!: TemporaryDatabase;
  desk!: Bookkeeping;
  #server!: Server;

  constructor() {
    beforeAll(async () => {
      this.temporary = await openTemporaryDatabase();
      await preparePartitions(this.temporary.db, START);
      this.desk = await keepBooks(this.temporary.db);
      this.#server = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        this.hits.push({ headers: request.headers, body });
        this.serve(request, response, body);
      });
      this.#server.listen(0, '127.0.0.1');
      await once(this.#server, 'listening');
    });
    afterEach(() => {
      this.hits.length = 0;
      this.sentMessages.length = 0;
    });
    afterAll(async () => {
      this.#server.closeAllConnections();
      this.#server.close();
      await this.desk.close();
      await this.temporary.remove();
    });
  }

  /** Whoever answers may take long on a busy machine; who is slow is waited for only by those who say so. */
  openNotices(timeoutMs = 60_000) {
    const { clock } = this;
    const { db } = this.temporary;
    const recipients = async () => ({ email: ['owner@example.com'], sms: ['09120000000'] });
    const notices = createNotices({ db, clock, randomBytes, recipients });
    const keys = createKeyService({ db, clock, randomBytes });
    const log = recordedLog();
    const host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    // A slow target is slow in real time, whatever the clock of the notices says.
    const options = { clock: systemClock, allowedHosts: [host] };
    const messenger = {
      can: () => true,
      deliver: async (message: NoticeStage['sentMessages'][0]) => {
        if (this.carriersAreAway) throw new Error('kavenegar: status 418');
        this.sentMessages.push(message);
      },
    };
    const outbox = new NoticeOutbox({
      db,
      clock,
      log,
      secrets,
      notices,
      messenger,
      languageOf: async (to) => (to.startsWith('owner@') ? 'en' : 'fa'),
      post: createSafePost(options),
      chance: () => 0,
      timeoutMs,
    });
    const targets = createTargets({ db, clock, randomBytes, secrets, isTrusted: (url) => url.host === host });
    return { db, log, notices, keys, outbox, targets, watch: new Watch({ db, clock, log, notices, keys }), host };
  }

  async makeAccount(id: string, caps = {}) {
    await this.temporary.db.query(
      `insert into account (id, name, rules, calendar, created_at, updated_at)
       values ($1, $1, $2, $3, '2026-01-01', '2026-01-01')`,
      [id, { caps }, { time_zone: 'Asia/Tehran', month: 'jalali' }],
    );
  }

  async events(accountId: string) {
    return (await this.openNotices().notices.list(accountId, { limit: 100 })).items.map(({ event, data }) => [
      event,
      data['percent'],
    ]);
  }

  async spendToday(accountId: string, keyId: string, day: string, toman: number): Promise<void> {
    await this.temporary.db.query(
      `insert into usage_daily (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost)
     values ($1, $2, $3, 'm', 1, 1, 1, $4) on conflict (account_id, day, key_id, model) do update set cost = excluded.cost`,
      [accountId, day, keyId, String(BigInt(toman) * 1_000_000n)],
    );
  }
}
