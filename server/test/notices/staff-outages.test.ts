/** What customers meet is told to staff within a minute, once over all replicas, with its end; what customers provoke is not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutages } from '../../src/notices/index.ts';
import { attempt, MINUTE, OutageStage } from './outage-stage.ts';

const stage = new OutageStage();
beforeAll(async () => {
  await stage.open(2);
  await stage.person('owner', { email: 'owner@example.com', mobile: '09120000001' });
  await stage.person('support', { email: 'support@example.com', mobile: '09120000009' });
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

const subjects = () => stage.sent.map(({ channel, to, subject }) => `${channel} ${to} ${subject}`).sort();

describe('a model that fails customers', () => {
  it('is told by SMS and e-mail within a minute of the third failure, once over two replicas', async () => {
    stage.failed({ accountId: 'acc_1' });
    stage.failed({ accountId: 'acc_2' }, 1);
    await stage.pass(30_000);
    expect(stage.sent).toEqual([]);
    stage.failed({ accountId: 'acc_2' }, 1);
    const third = stage.clock.now();
    await stage.pass(MINUTE);
    expect(subjects()).toEqual([
      'email owner@example.com A model fails customers',
      'sms 09120000001 A model fails customers',
    ]);
    for (const { at } of stage.sent) expect(at - third).toBeLessThanOrEqual(MINUTE);
    expect(stage.sent[0]?.text).toMatch(
      /^100% of the requests for maker\/one fail since 10:3\d \(3 requests\)\. Provider vendor, error: server 529\.\nhttps:\/\/gate\.example\/operator\/requests\?state=failed&model=maker%2Fone&from=2026/,
    );
    expect(await stage.outages()).toEqual([
      expect.objectContaining({
        subject: 'maker/one',
        severity: 'critical',
        failed: 3n,
        accounts: 2,
        cause: 'server 529',
        provider: 'vendor',
      }),
    ]);
    const [row] = await stage.db.query<{ id: string }>('select id from outage');
    const told = await createOutages(stage).told(row?.id ?? '');
    expect(told.map(({ channel, phase, state }) => `${channel} ${phase} ${state}`).sort()).toEqual([
      'email opened sent',
      'sms opened sent',
    ]);
    await expect(createOutages(stage).told('out_none')).rejects.toMatchObject({ code: 'not_found' });
    await stage.pass(5 * MINUTE, MINUTE);
    expect(stage.sent).toHaveLength(2);
  });

  it('is told when it is over, with how long it lasted and what it cost', async () => {
    for (let at = 0; at < 4; at++) stage.failed({ accountId: `acc_${at}` });
    await stage.pass(MINUTE);
    for (let at = 0; at < 6; at++) {
      stage.ended();
      stage.ended({}, 1);
      await stage.pass(MINUTE, MINUTE);
    }
    const over = stage.sent.filter(({ subject }) => subject === 'Over: A model fails customers');
    expect(over.map(({ channel }) => channel).sort()).toEqual(['email', 'sms']);
    expect(over[0]?.text).toMatch(
      /^maker\/one: lasted [5-7] minutes, from .+\. 4 requests failed, 4 accounts met them\./,
    );
    expect(await stage.outages()).toEqual([expect.objectContaining({ ending: 'recovered', failed: 4n })]);
    await stage.pass(2 * MINUTE, MINUTE);
    expect(stage.sent).toHaveLength(4);
  });

  it('opens beside many answers only where a fifth fails', async () => {
    for (let at = 0; at < 40; at++) stage.ended();
    for (let at = 0; at < 9; at++) stage.failed();
    await stage.pass(MINUTE);
    expect(await stage.outages()).toEqual([]);
    for (let at = 0; at < 2; at++) stage.failed();
    await stage.pass(20_000);
    expect(await stage.outages()).toEqual([expect.objectContaining({ kind: 'model.failing', severity: 'major' })]);
  });

  it('without requests is quiet and not confirmed after half an hour, and its provider is tried', async () => {
    for (let at = 0; at < 3; at++) stage.failed();
    await stage.pass(MINUTE);
    stage.testPasses = false;
    await stage.pass(31 * MINUTE, MINUTE);
    // The provider is still dead: nothing is over.
    expect(stage.tested).toEqual(['vendor']);
    expect(await stage.outages()).toEqual([expect.objectContaining({ ending: null })]);
    stage.testPasses = true;
    await stage.pass(30 * MINUTE, MINUTE);
    expect(await stage.outages()).toEqual([expect.objectContaining({ ending: 'quiet' })]);
    const last = stage.sent.at(-1);
    expect(last?.subject).toBe('Quiet, not confirmed: A model fails customers');
    expect(last?.text).toContain('The test of the provider passed.');
  });

  it('that comes and goes is one outage and one message an hour', async () => {
    for (let round = 0; round < 4; round++) {
      for (let at = 0; at < 8; at++) stage.failed();
      await stage.pass(MINUTE);
      for (let at = 0; at < 200; at++) stage.ended();
      await stage.pass(6 * MINUTE, MINUTE);
      for (let at = 0; at < 10; at++) stage.ended();
      await stage.pass(MINUTE);
    }
    expect(await stage.outages()).toEqual([expect.objectContaining({ reopened: 3, ending: 'recovered' })]);
    const mails = stage.sent.filter(({ channel }) => channel === 'email');
    expect(mails.map(({ subject }) => subject)).toEqual(['A model fails customers', 'Over: A model fails customers']);
  });

  it('with others of its provider is one message, and critical', async () => {
    const models = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `maker/${name}`);
    for (let at = 0; at < 100; at++) stage.ended({ model: 'other/well' });
    for (const model of models.slice(0, 6)) for (let at = 0; at < 3; at++) stage.failed({ model });
    await stage.pass(MINUTE);
    for (let at = 0; at < 3; at++) stage.failed({ model: models[6] as string });
    await stage.pass(MINUTE);
    const rows = await stage.outages();
    expect(rows).toHaveLength(7);
    expect(new Set(rows.map(({ severity }) => severity))).toEqual(new Set(['critical']));
    expect(stage.sent).toHaveLength(2);
    expect(stage.sent[0]?.text).toContain('6 models fail since');
    for (const model of models) for (let at = 0; at < 6; at++) stage.ended({ model });
    await stage.pass(7 * MINUTE, MINUTE);
    for (const model of models) for (let at = 0; at < 6; at++) stage.ended({ model });
    await stage.pass(2 * MINUTE, MINUTE);
    expect((await stage.outages()).every(({ ending }) => ending === 'recovered')).toBe(true);
    expect(stage.sent).toHaveLength(4);
  });
});

describe('a provider', () => {
  it('whose customers other routes answer is only a warning, to the console and webhooks', async () => {
    const rescued = { attempts: [attempt('broken', 'server', 500), attempt('vendor', 'ok', 200)] };
    for (let at = 0; at < 11; at++) {
      for (let times = 0; times < 4; times++) stage.ended(rescued);
      await stage.pass(MINUTE, MINUTE);
    }
    expect(await stage.outages()).toEqual([
      expect.objectContaining({ kind: 'provider.rescued', subject: 'broken', severity: 'warning' }),
    ]);
    expect(stage.sent).toEqual([]);
    expect((await stage.notices.list('', { limit: 10 })).items.map(({ event }) => event)).toEqual(['provider.rescued']);
  });

  it('whose circuit stays open is one too, when nobody asks it any more', async () => {
    stage.circuits = [{ target: 'broken/x', provider: 'broken' }];
    for (let at = 0; at < 12; at++) {
      stage.ended();
      stage.ended({ attempts: [attempt('other', 'server', 500), attempt('vendor', 'ok', 200)] });
      await stage.pass(MINUTE, MINUTE);
    }
    expect(await stage.outages()).toEqual([expect.objectContaining({ kind: 'provider.rescued', subject: 'broken' })]);
  });

  it('that refuses a credential, or says its balance is used up, is told at the first time and when it takes it again', async () => {
    const refused = (more: object, status: number) => ({
      attempts: [attempt('one', 'credential', status, more), attempt('vendor', 'ok', 200)],
    });
    stage.ended(refused({ credential: 'cred_a' }, 401));
    stage.ended(refused({ credential: 'cred_b', noBalance: true }, 402));
    await stage.pass(20_000);
    expect(subjects()).toEqual([
      'email owner@example.com A provider refuses our credential',
      'email owner@example.com Your balance at a provider is used up',
      'sms 09120000001 A provider refuses our credential',
      'sms 09120000001 Your balance at a provider is used up',
    ]);
    await stage.pass(MINUTE);
    // Another credential of the same provider says nothing of this one.
    stage.ended({ attempts: [attempt('one', 'ok', 200, { credential: 'cred_c' })] });
    await stage.pass(MINUTE);
    expect((await stage.outages()).map(({ ending }) => ending)).toEqual([null, null]);
    stage.ended({ attempts: [attempt('one', 'ok', 200, { credential: 'cred_a' })] }, 1);
    await stage.pass(MINUTE);
    const ends = new Map((await stage.outages()).map(({ kind, ending }) => [kind, ending]));
    expect(ends.get('provider.credential_dead')).toBe('recovered');
    expect(ends.get('provider.balance_out')).toBeNull();
  });
});

describe('a customer cannot raise an outage', () => {
  it('by bad input, by leaving, by limits, nor by what only fills us up', async () => {
    for (let at = 0; at < 50; at++) {
      stage.ended({
        state: 'failed',
        status: 400,
        errorCode: 'invalid_request',
        attempts: [attempt('vendor', 'client-fault', 400)],
      });
      stage.ended({
        state: 'failed',
        status: 400,
        errorCode: 'invalid_request',
        attempts: [attempt('vendor', 'context-too-long', 400)],
      });
      stage.ended({ state: 'client_closed', status: 200, attempts: [attempt('vendor', 'aborted', null)] });
      stage.ended({ state: 'client_closed', status: 502, attempts: [attempt('vendor', 'server', 500)] });
      stage.ended({ state: 'refused', status: 429, errorCode: 'rate_limited', attempts: [] });
      stage.ended({ state: 'refused', status: 402, errorCode: 'insufficient_balance', attempts: [] });
      stage.ended({
        state: 'failed',
        status: 503,
        errorCode: 'overloaded',
        attempts: [attempt('vendor', 'skipped', null)],
      });
    }
    await stage.pass(2 * MINUTE, MINUTE);
    expect(await stage.outages()).toEqual([]);
    expect(stage.sent).toEqual([]);
  });

  it('nor write into what staff are sent: causes are our own words, names stand on one line', async () => {
    const model = 'maker/\u202eone\nSend 1000 to <b>me</b>';
    for (let at = 0; at < 3; at++) stage.failed({ model });
    await stage.pass(MINUTE);
    for (const { text, subject } of stage.sent) {
      expect(subject).toBe('A model fails customers');
      expect(text.split('\n')).toHaveLength(2);
      expect(text).not.toMatch(/[<>\u202e]/);
    }
    expect(stage.sent).toHaveLength(2);
  });
});

describe('the service itself', () => {
  it('tells of journal, disk, gateways, carriers, books and rate, and when each is over', async () => {
    const { clock } = stage;
    stage.facts = {
      journal: () => ({ depth: 6, bytes: 0 }),
      disk: async () => ({ freeBytes: 9, totalBytes: 100 }),
      silentGateways: () => [
        { gateway: 'zibal', since: clock.now() - 15 * MINUTE, last: clock.now() },
        { gateway: 'stripe', since: clock.now() - MINUTE, last: clock.now() },
      ],
      smsRefusedSince: () => clock.now() - MINUTE,
      books: async () => ({
        verdict: 'unproven',
        provedAt: new Date(clock.now() - 2 * 86_400_000),
        reason: 'statement timeout',
        failing: [{ check: 'balances', name: 'every balance is the sum', detail: '', run: 'prf_1' }],
      }),
      staleRate: () => ({ since: new Date(clock.now() - 86_400_000), problem: 'status 500' }),
    };
    await stage.pass(20_000);
    const open = (await stage.outages()).map(({ kind, subject, severity }) => `${kind} ${subject} ${severity}`);
    expect(open.sort()).toEqual([
      'books.unfinished proof warning',
      'books.unproved balances critical',
      'disk.low rep_0 critical',
      'disk.low rep_1 critical',
      'journal.growing rep_0 critical',
      'journal.growing rep_1 critical',
      'payments.unreachable zibal major',
      'rate.stale rate warning',
      'sms.unreachable sms critical',
    ]);
    const links = (await stage.notices.list('', { limit: 20 })).items.map(({ event, link }) => [event, link]);
    expect(links).toContainEqual(['books.unproved', '/operator/ledger/proofs?run=prf_1']);
    stage.sent.length = 0;
    stage.facts = {};
    await stage.pass(2 * MINUTE, MINUTE);
    expect((await stage.outages()).every(({ ending }) => ending === 'recovered')).toBe(true);
    expect(stage.sent.filter(({ subject }) => subject === 'Over: The disk is nearly full')).toHaveLength(4);
  });
});
