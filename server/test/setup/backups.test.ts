/** Backups tell of themselves: a place without a password, and a silence of two days is a failed step. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Operator, operatorOf } from '../admin/operator.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

const HOUR = 3_600_000;
const clock = new MovedClock();
let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  gateway = await startGateway({ clock });
  operator = await operatorOf(gateway);
}, 120_000);
afterAll(() => gateway?.stop());

interface Step {
  id: string;
  state: string;
  lacks: string[];
  seen: string | null;
}

const stepOf = async (id: string) =>
  (await operator.get<{ steps: Step[] }>('/setup')).steps.find((one) => one.id === id);

it('is open until one was reported, done while they come, and failed when they stop', async () => {
  expect(await stepOf('backup')).toMatchObject({ state: 'open', lacks: ['backup'], seen: null });
  await operator.post('/backups', { location: ' s3://backups/dargah.dump ' });
  expect(await stepOf('backup')).toMatchObject({ state: 'done', lacks: [], seen: 's3://backups/dargah.dump' });
  clock.moved += 49 * HOUR;
  expect(await stepOf('backup')).toMatchObject({ state: 'failed', lacks: ['new_backup'] });
  await operator.post('/backups', { location: '/backups/dargah.dump' });
  expect(await stepOf('backup')).toMatchObject({ state: 'done', seen: '/backups/dargah.dump' });
});

it('names no place with a password in it, which all of staff would read', async () => {
  const body = { location: 'https://user:secret@backups.example/dargah.dump' };
  expect(await operator.refused('POST', '/backups', body)).toEqual([400, 'location']);
});

it('does not take a trial for a business: the file’s account without a charge has bought nothing', async () => {
  expect(await stepOf('first_sale')).toMatchObject({ state: 'open', seen: null });
  expect(await stepOf('payment')).toMatchObject({ state: 'open', lacks: ['gateway', 'payment'] });
  expect(await stepOf('messenger')).toMatchObject({ state: 'open', lacks: ['carrier', 'message'] });
});
