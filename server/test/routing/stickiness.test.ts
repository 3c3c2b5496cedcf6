import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/core/chat.ts';
import { createRouter, type Slot, type Target } from '../../src/routing/index.ts';
import { failure, ManualClock, model, provider, route, seeded } from './fixtures.ts';

const text = (role: Message['role'], value: string): Message => ({ role, parts: [{ kind: 'text', text: value }] });
const SYSTEM = text('system', 'You are a careful assistant. '.repeat(100));

function setUp() {
  const clock = new ManualClock();
  const router = createRouter({ clock, random: seeded(7) });
  const many = model(Array.from({ length: 5 }, (_, i) => route(provider(`p${i}`))));
  const ask = (messages: Message[], accountId = 'acme') =>
    router.plan({ accountId, models: [many], messages, preferences: undefined });
  const answer = async (target: Target | undefined, outcome: Parameters<Slot['end']>[0] = 'ok') => {
    const slot = await router.acquire(target as Target, Number.POSITIVE_INFINITY);
    if (slot === 'full') throw new Error('full');
    if (outcome === 'ok') slot.answered(100, 'stream');
    slot.end(outcome);
  };
  return { clock, ask, answer };
}

describe('stickiness', () => {
  it('brings a growing conversation back to where it was answered', async () => {
    const { clock, ask, answer } = setUp();
    const turn = [SYSTEM, text('user', 'hello')];
    const chosen = ask(turn).targets[2];
    await answer(chosen);
    for (let i = 0; i < 20; i++) {
      clock.nowMs += 50 * 60_000;
      turn.push(text('assistant', `answer ${i}`), text('user', `question ${i}`));
      const { targets, explanation } = ask(turn);
      expect(targets[0]?.id).toBe(chosen?.id);
      expect(explanation[0]).toContain('holds the prompt cache');
      await answer(targets[0]);
    }
  });

  it('lasts at least an hour and ends some time', async () => {
    const { clock, ask, answer } = setUp();
    const turn = [SYSTEM, text('user', 'hello')];
    await answer(ask(turn).targets[3]);
    clock.nowMs += 61 * 60_000;
    expect(ask(turn).explanation[0]).toContain('holds the prompt cache');
    clock.nowMs += 24 * 60 * 60_000;
    expect(ask(turn).explanation.join()).not.toContain('holds the prompt cache');
  });

  it('belongs to an account and to a beginning, and leaves short prompts free', async () => {
    const { ask, answer } = setUp();
    await answer(ask([SYSTEM, text('user', 'hello')]).targets[0]);
    expect(ask([SYSTEM, text('user', 'hello')]).explanation.join()).toContain('holds');
    expect(ask([SYSTEM, text('user', 'hello')], 'other').explanation.join()).not.toContain('holds');
    expect(ask([SYSTEM, text('user', 'good bye')]).explanation.join()).not.toContain('holds');
    await answer(ask([text('user', 'short')]).targets[0]);
    expect(ask([text('user', 'short')]).explanation.join()).not.toContain('holds');
  });

  it('lets go of a target whose circuit opened', async () => {
    const { ask, answer } = setUp();
    const turn = [SYSTEM, text('user', 'hello')];
    const [first] = ask(turn).targets;
    await answer(first);
    for (let i = 0; i < 3; i++) await answer(first, failure('server'));
    const { targets } = ask(turn);
    expect(targets[0]?.id).not.toBe(first?.id);
    expect(targets.at(-1)?.id).toBe(first?.id);
    await answer(targets[0]);
    expect(ask(turn).targets[0]?.id).toBe(targets[0]?.id);
  });
});
