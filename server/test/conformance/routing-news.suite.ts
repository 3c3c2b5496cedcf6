/** What one replica learns about providers the others know soon, over whatever wire; and without a wire nothing breaks. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../../src/core/chat.ts';
import { createRouter, type Router, RoutingNews, type Slot, type Target } from '../../src/routing/index.ts';
import type { NewsWire } from '../../src/routing/news.ts';
import { failure, ManualClock, model, provider, route, seeded } from '../routing/fixtures.ts';
import { eventually } from '../services/eventually.ts';

export interface WiresUnderTest {
  /** One more replica on the same wire, which may take a moment to work. */
  wire(): NewsWire;
  /** The wire carries nothing any more, and again. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  end(): Promise<void>;
}

const text = (role: Message['role'], value: string): Message => ({ role, parts: [{ kind: 'text', text: value }] });
const TURN = [text('system', 'You are a careful assistant. '.repeat(100)), text('user', 'hello')];
const MANY = model(Array.from({ length: 5 }, (_, i) => route(provider(`p${i}`))));

class TestReplica {
  readonly router: Router;
  readonly clock = new ManualClock();

  constructor(wire: NewsWire | undefined, name: string) {
    const news = wire && new RoutingNews(wire, name);
    this.router = createRouter({ clock: this.clock, random: seeded(7), news });
  }

  plan(messages = TURN) {
    return this.router.plan({ accountId: 'acme', models: [MANY], messages, preferences: undefined });
  }

  target(id: string): Target {
    const found = this.plan().targets.find((target) => target.id === id);
    if (!found) throw new Error(`no target ${id}`);
    return found;
  }

  async end(target: Target, outcome: Parameters<Slot['end']>[0]): Promise<void> {
    const slot = await this.router.acquire(target, Number.POSITIVE_INFINITY);
    if (slot === 'full') throw new Error('full');
    if (outcome === 'ok') slot.answered(100, 'stream');
    slot.end(outcome);
  }

  async break(id: string): Promise<void> {
    for (let i = 0; i < 3; i++) await this.end(this.target(id), failure('server'));
  }

  usable(id: string): boolean {
    return this.router.isUsable(this.target(id));
  }
}

export function routingNewsSuite(name: string, open: () => Promise<WiresUnderTest>): void {
  describe(`news of routing ${name}`, () => {
    let wires: WiresUnderTest | undefined;
    afterEach(async () => {
      await wires?.end();
      wires = undefined;
    });
    async function replicas(count: number): Promise<TestReplica[]> {
      wires ??= await open();
      return Array.from({ length: count }, (_, i) => new TestReplica(wires?.wire(), `replica-${i}`));
    }
    const ids = () => new TestReplica(undefined, 'alone').plan().targets.map(({ id }) => id);

    it('a circuit that opened on one is open on the others, with its cause, and closes with it', async () => {
      const [one, two, three] = (await replicas(3)) as [TestReplica, TestReplica, TestReplica];
      const [broken = '', other = ''] = ids();
      // Known before and not: a replica that has never used the target hears of it all the same.
      expect(two.usable(broken)).toBe(true);
      await eventually(async () => {
        await one.break(broken);
        for (const replica of [two, three]) expect(replica.usable(broken)).toBe(false);
      });
      expect(two.usable(other)).toBe(true);
      const health = two.router.snapshot().find(({ target }) => target === broken);
      expect(health).toMatchObject({ state: 'open', cause: 'server' });
      // One tries it again when its time is over, and it is well: all use it again.
      one.clock.nowMs += 20 * 60_000;
      await eventually(async () => {
        await one.end(one.target(broken), 'ok');
        await one.break(broken);
        one.clock.nowMs += 20 * 60_000;
        await one.end(one.target(broken), 'ok');
        for (const replica of [two, three]) expect(replica.usable(broken)).toBe(true);
      });
    });

    it('ends by itself when nobody says that it closed', async () => {
      const [one, two] = (await replicas(2)) as [TestReplica, TestReplica];
      const [broken = ''] = ids();
      await eventually(async () => {
        await one.break(broken);
        expect(two.usable(broken)).toBe(false);
      });
      two.clock.nowMs += 20 * 60_000;
      expect(two.usable(broken)).toBe(true);
    });

    it('a conversation goes on where another replica had it answered', async () => {
      const [one, two] = (await replicas(2)) as [TestReplica, TestReplica];
      const chosen = one.plan().targets[3] as Target;
      await one.end(chosen, 'ok');
      await eventually(() => {
        const { targets, explanation } = two.plan([...TURN, text('assistant', 'hi'), text('user', 'go on')]);
        expect(targets[0]?.id).toBe(chosen.id);
        expect(explanation[0]).toContain('holds the prompt cache');
      });
    });

    it('a replica that comes later, or was away, is told what is known', async () => {
      const [one] = (await replicas(1)) as [TestReplica];
      const [broken = '', , , chosen = ''] = ids();
      await one.break(broken);
      await one.end(one.target(chosen), 'ok');
      const late = new TestReplica(wires?.wire(), 'late');
      await eventually(() => {
        expect(late.usable(broken)).toBe(false);
        expect(late.plan().targets[0]?.id).toBe(chosen);
      });
      await wires?.cut();
      const [, another = ''] = ids();
      await one.break(another);
      expect(late.usable(another)).toBe(true);
      await wires?.mend();
      await eventually(() => expect(late.usable(another)).toBe(false));
    });

    it('texts that are none of ours change nothing', async () => {
      const [one] = (await replicas(1)) as [TestReplica];
      const stranger = wires?.wire();
      const [first = ''] = ids();
      const opened = { kind: 'opened', circuit: `target ${first}`, forMs: 60_000 };
      for (const nonsense of [
        '',
        '[]',
        '{"news":7}',
        JSON.stringify({ from: 'x', news: [opened, null, { kind: 'answered' }] }),
      ]) {
        stranger?.send(nonsense);
      }
      await eventually(() => {
        stranger?.send(
          JSON.stringify({ from: 'x', news: [{ ...opened, circuit: `target ${ids()[1]}`, cause: 'server' }] }),
        );
        expect(one.usable(ids()[1] ?? '')).toBe(false);
      });
      expect(one.usable(first)).toBe(true);
    });
  });
}
