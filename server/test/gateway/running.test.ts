/** The requests of an account end when its access is closed, also those that were let in just before and begin just after. */
import { describe, expect, it } from 'vitest';
import { endedByBlock, RunningRequests } from '../../src/gateway/settle/running.ts';
import { Cancellation } from '../../src/platform/upstream/index.ts';

const BLOCK = { at: new Date(0), until: new Date(1), reason: 'r' };

function request(id: string, blocked?: typeof BLOCK) {
  return { position: -1, cancellation: new Cancellation(), key: { account: { id, ...(blocked && { blocked }) } } };
}

describe('a block of an account', () => {
  it('ends what runs for it, and nothing else', () => {
    const running = new RunningRequests();
    const [own, other] = [request('acme'), request('globex')];
    running.add(own);
    running.add(other);
    expect(running.countOf('acme')).toBe(1);
    running.endAccount('acme');
    expect(endedByBlock(own)?.code).toBe('account_blocked');
    expect(endedByBlock(other)).toBeUndefined();
  });

  it('ends what was let in before the news and begins after it', () => {
    const running = new RunningRequests();
    running.endAccount('acme');
    const late = request('acme');
    running.add(late);
    expect(endedByBlock(late)?.code).toBe('account_blocked');
  });

  it('lets whoever knows of the block and came after its end, and everybody once it is opened', () => {
    const running = new RunningRequests();
    running.endAccount('acme');
    const after = request('acme', BLOCK);
    running.add(after);
    running.letAccount('acme');
    const opened = request('acme');
    running.add(opened);
    expect([endedByBlock(after), endedByBlock(opened)]).toEqual([undefined, undefined]);
  });

  it('is told apart from a drain', () => {
    const running = new RunningRequests();
    const own = request('acme');
    running.add(own);
    running.cancelAll('shutting down');
    running.endAccount('acme');
    expect(endedByBlock(own)).toBeUndefined();
  });
});
