import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatEvent, PartStart } from '../../src/core/events.ts';
import { openGuard } from '../../src/protocols/index.ts';

/** A decoder that says exactly what it is told to. */
function guarded(events: readonly ChatEvent[]): ChatEvent[] {
  const passed: ChatEvent[] = [];
  const guard = openGuard({
    push: (_frame, emit) => events.forEach(emit),
    end: () => {},
  });
  guard.push({ event: undefined, data: '', json: undefined }, (event) => passed.push(event));
  guard.end((event) => passed.push(event));
  return passed;
}

const start: ChatEvent = { type: 'response-start', id: 'a' };
const end: ChatEvent = { type: 'response-end', finishes: [{ kind: 'stop', raw: 'stop' }] };
const open = (part: number, kind: PartStart['kind'] = 'text', choice = 0): PartStart => ({
  type: 'part-start',
  part,
  choice,
  kind,
  ...(kind === 'tool-call' && { toolCall: { id: `c${part}`, name: 'f' } }),
});
const delta = (part: number, text = 'x'): ChatEvent => ({ type: 'part-delta', part, text });
const close = (part: number): ChatEvent => ({ type: 'part-end', part });
const usage: ChatEvent = { type: 'usage-update', usage: { source: 'upstream', buckets: { output: 1 } } };
const brief = (events: ChatEvent[]) =>
  events.map((event) => ('part' in event ? `${event.type} ${event.part}` : event.type));

describe('the grammar of streams', () => {
  test('a regular stream passes as it is', () => {
    const regular = [start, open(0), delta(0), close(0), usage, end, usage];
    expect(guarded(regular)).toEqual(regular);
  });

  test('a spliced second start is ignored', () => {
    expect(guarded([start, open(0), { ...start, id: 'b' }, delta(0), close(0), end])).toEqual([
      start,
      open(0),
      delta(0),
      close(0),
      end,
    ]);
  });

  test('a missing start is supplied', () => {
    expect(brief(guarded([open(0), close(0), end]))[0]).toBe('response-start');
  });

  test('a delta without a start opens a text part', () => {
    expect(guarded([start, delta(0), end])).toEqual([start, open(0), delta(0), close(0), end]);
  });

  test('a delta of a closed part goes on in a new part of its kind', () => {
    const events = guarded([start, open(0, 'reasoning', 1), close(0), delta(0, 'more'), end]);
    expect(events.slice(3, 5)).toEqual([open(1, 'reasoning', 1), delta(1, 'more')]);
  });

  test('late arguments of a closed tool call are a failure: half arguments would look whole', () => {
    const events = guarded([start, open(0, 'tool-call'), close(0), delta(0, '"}'), end]);
    expect(events.at(-1)).toMatchObject({ type: 'failure', failure: { kind: 'malformed' } });
  });

  test('parts left open are closed before the end', () => {
    expect(brief(guarded([start, open(0, 'tool-call'), open(1, 'tool-call'), end]))).toEqual([
      'response-start',
      'part-start 0',
      'part-start 1',
      'part-end 0',
      'part-end 1',
      'response-end',
    ]);
  });

  test('a new part closes the open one of its choice, not tool calls and not other choices', () => {
    const events = guarded([
      start,
      open(0),
      open(1, 'text', 1),
      open(2, 'tool-call'),
      open(3, 'reasoning'),
      delta(2),
      end,
    ]);
    expect(brief(events).slice(1, 7)).toEqual([
      'part-start 0',
      'part-start 1',
      'part-end 0',
      'part-start 2',
      'part-start 3',
      'part-delta 2',
    ]);
  });

  test('after the end only usage passes', () => {
    expect(guarded([start, open(0), close(0), end, end, usage, delta(0), start])).toEqual([
      start,
      open(0),
      close(0),
      end,
      usage,
    ]);
  });

  test('after a failure nothing passes', () => {
    const failure: ChatEvent = { type: 'failure', failure: { kind: 'server', message: 'x' } };
    expect(guarded([start, failure, failure, open(0), usage, end])).toEqual([start, failure]);
  });

  test('a stream that stops without an end is truncated', () => {
    expect(guarded([start, open(0), delta(0)]).at(-1)).toMatchObject({ failure: { kind: 'truncated' } });
  });

  test('a stream without a single event is empty', () => {
    expect(guarded([])).toMatchObject([{ type: 'failure', failure: { kind: 'empty' } }]);
  });

  test('a tool call without id or name is malformed', () => {
    const nameless: ChatEvent = { ...open(0, 'tool-call'), toolCall: { id: 'c', name: '' } } as PartStart;
    expect(guarded([start, nameless]).at(-1)).toMatchObject({ failure: { kind: 'malformed' } });
  });

  test('"stop" after a tool call becomes "tool-calls", per choice, and other reasons stay', () => {
    const finishes = [{ kind: 'stop' as const }, { kind: 'stop' as const }, { kind: 'length' as const }];
    const events = guarded([
      start,
      open(0, 'tool-call', 0),
      open(1, 'text', 1),
      open(2, 'tool-call', 2),
      { type: 'response-end', finishes },
    ]);
    expect(events.at(-1)).toEqual({
      type: 'response-end',
      finishes: [{ kind: 'tool-calls' }, { kind: 'stop' }, { kind: 'length' }],
    });
  });

  test('whatever a decoder says, what passes obeys the grammar', () => {
    const anyPart = fc.nat({ max: 3 });
    const anyEvent: fc.Arbitrary<ChatEvent> = fc.oneof(
      fc.constantFrom(start, usage),
      fc.constant(end),
      fc
        .tuple(
          anyPart,
          fc.constantFrom<PartStart['kind'][]>('text', 'reasoning', 'tool-call', 'refusal'),
          fc.nat({ max: 1 }),
        )
        .map(([part, kind, choice]) => open(part, kind, choice)),
      anyPart.map((part) => delta(part)),
      anyPart.map(close),
    );
    fc.assert(fc.property(fc.array(anyEvent, { maxLength: 25 }), (events) => checkGrammar(guarded(events))));
  });
});

/** The grammar of core/events.ts, read as a checker. */
function checkGrammar(events: ChatEvent[]): void {
  const openParts = new Map<number, PartStart>();
  const seen = new Set<number>();
  let over = false;
  for (const [at, event] of events.entries()) {
    expect(at === 0, 'a start comes first and once').toBe(
      event.type === 'response-start' || (at === 0 && event.type === 'failure'),
    );
    if (over) expect(event.type).toBe('usage-update');
    if (event.type === 'failure') expect(at).toBe(events.length - 1);
    if (event.type === 'part-start') {
      expect(seen.has(event.part)).toBe(false);
      seen.add(event.part);
      openParts.set(event.part, event);
      const prose = [...openParts.values()].filter((part) => part.choice === event.choice && part.kind !== 'tool-call');
      expect(prose.length).toBeLessThanOrEqual(1);
    }
    if (event.type === 'part-delta') expect(openParts.has(event.part)).toBe(true);
    if (event.type === 'part-end') expect(openParts.delete(event.part)).toBe(true);
    if (event.type === 'response-end') {
      expect(openParts.size).toBe(0);
      over = true;
    }
  }
  expect(over || events.at(-1)?.type === 'failure').toBe(true);
}
