/** Events of settled requests: put from the journal's batch, told once, signed, bounded, and never in the way of the books. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { Poster } from '../../src/ledger/index.ts';
import { createSettledEvents, SettledOutbox } from '../../src/notices/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createSafePost } from '../../src/platform/upstream/index.ts';
import { record as settledRecord } from '../ledger/request-fixture.ts';
import { NoticeStage } from './notice-stage.ts';

const stage = new NoticeStage();

function open() {
  const { db, notices, targets, host, log } = stage.openNotices();
  const { clock, desk } = stage;
  const events = createSettledEvents({ db, clock, log });
  const outbox = new SettledOutbox({
    db,
    clock,
    secrets: createSecretBox(Buffer.alloc(32, 5)),
    post: createSafePost({ clock: systemClock, allowedHosts: [host] }),
    notices,
    chance: () => 0,
    timeoutMs: 60_000,
  });
  const poster = (settled = events) =>
    new Poster({ db, journal: desk.journal, log, admission: { posted: () => undefined }, settled });
  const close = async (id: string, accountId: string, notify: number) => {
    const record = settledRecord(id, { accountId, notify, tags: ['team:search'] });
    await desk.journal.open(record);
    await desk.journal.close(record);
  };
  const waiting = async () => (await db.query('select from settled_event')).length;
  return { db, targets, host, events, outbox, poster, close, waiting, log };
}

describe('a settled request', () => {
  it('is told once, signed, when its key asks for it', async () => {
    await stage.makeAccount('told');
    const { targets, host, outbox, poster, close, waiting } = open();
    const { secret, id: target } = await targets.add('told', `http://${host}/in`);
    stage.serve = (_request, response) => response.writeHead(204).end();
    await close('req_told', 'told', 1);
    await close('req_quiet', 'told', 0);
    expect(await poster().postBatch()).toBe(2);
    expect(await outbox.deliverDue(10)).toBe(1);
    const [hit] = stage.hits;
    expect(hit?.headers['webhook-id']).toBe(`req_told.${target}`);
    const signed = new Webhook(secret).sign(`req_told.${target}`, new Date(stage.clock.now()), hit?.body ?? '');
    expect(hit?.headers['webhook-signature']).toBe(signed);
    expect(JSON.parse(hit?.body ?? '')).toMatchObject({
      type: 'request.settled',
      data: { request_id: 'req_told', tags: ['team:search'], state: 'completed' },
    });
    expect(await waiting()).toBe(0);
  });

  it('is posted though its event cannot be put, and put once though it is posted twice', async () => {
    const { events, poster, close, waiting, log } = open();
    await close('req_away', 'told', 1);
    const away = { put: () => Promise.reject(new Error('no room')) };
    expect(await poster(away).postBatch()).toBe(1);
    expect(log.lines.some(({ message }) => message.includes('not put into the outbox'))).toBe(true);
    const lines: string[] = [];
    await close('req_twice', 'told', 1);
    await poster({ put: async (given) => void lines.push(...given) }).postBatch();
    await events.put(lines);
    await events.put(lines);
    expect(await waiting()).toBe(1);
  });

  it('waits up to a bound of its account, and no more', async () => {
    const { db, events, poster, close, waiting, log, outbox } = open();
    await db.query(
      `insert into settled_event (id, account_id, target_id, data, state, next_try_at, created_at)
       select 'old' || n, 'told', (select id from alert_target where account_id = 'told'), '{}', 'waiting', '2099-01-01', now()
       from generate_series(1, 9999) as n`,
    );
    const lines: string[] = [];
    await close('req_many', 'told', 1);
    await poster({ put: async (given) => void lines.push(...given) }).postBatch();
    await events.put(lines);
    expect(await waiting()).toBe(10_000);
    expect(log.lines.some(({ message }) => message.includes('too many wait'))).toBe(true);
    stage.serve = (_request, response) => response.writeHead(410).end();
    expect(await outbox.deliverDue(10)).toBe(1);
    expect((await stage.events('told')).map(([event]) => event)).toContain('target.disabled');
  });
});
