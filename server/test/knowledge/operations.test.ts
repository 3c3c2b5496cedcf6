/** What a customer does with knowledge bases, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { knowledgeOf } from './ask.ts';

let gateway: TestGateway;
let kb: ReturnType<typeof knowledgeOf>;

beforeAll(async () => {
  gateway = await startGateway();
  kb = knowledgeOf(gateway);
});
afterAll(() => gateway.stop());

const LEAVE = `# آیین‌نامهٔ مرخصی

## مرخصی استحقاقی
هر کارمند سالانه ۲۶ روز مرخصی استحقاقی دارد. تا ۹ روز آن به سال بعد منتقل می‌شود.

## مرخصی زایمان
مدت مرخصی زایمان نُه ماه تمام است و حقوق آن را سازمان تأمین اجتماعی می‌پردازد.
`;

describe('a base and its documents', () => {
  it('is created, read, found by words, and deleted', async () => {
    const base = await kb.create('Handbook');
    const { status, body } = await kb.upload(base, 'leave.md', LEAVE, 'text/markdown');
    expect(status).toBe(202);
    const ready = await kb.settled(base, body.id);
    expect(ready).toMatchObject({ state: 'ready', progress: 100, reason: null });
    const [best] = await kb.search(base, 'چند روز مرخصي استحقاقي در سال داريم');
    expect(best?.text).toContain('۲۶');
    expect(best).toMatchObject({ title: 'leave.md' });
    console.log(JSON.stringify(await kb.search(base, 'حقوق زایمان'), null, 1));
  });
});
