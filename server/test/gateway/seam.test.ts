/** The seam of a continued answer, cut everywhere: no word is lost, and none is said twice. */
import { describe, expect, it } from 'vitest';
import type { ChatRequest, Message } from '../../src/core/chat.ts';
import { withBegunTurn } from '../../src/gateway/chat/begun-turn.ts';
import { Seam, wholeCharacters } from '../../src/gateway/chat/seam.ts';

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function inPieces(text: string, next: (below: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + next(7);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function joined(told: string, pieces: readonly string[], stops: string[] = []): string {
  const seam = new Seam(told, stops);
  let text = told;
  for (const piece of pieces) {
    text += seam.push(piece);
    if (seam.stoppedBy !== undefined) return `${text}<${seam.stoppedBy}>`;
  }
  return text + seam.end();
}

const WORDS =
  'the quick brown fox می‌روم کتاب‌ها را مُهَندِس خواند؛ «سلام» 😀 👨‍👩‍👧 é naïve 12.5 a,b\n\n# list\n- one\t two'.split(
    ' ',
  );

describe('a provider that goes on exactly where it was cut', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('is joined byte for byte, wherever the cut was (seed %i)', (seed) => {
    const next = seeded(seed);
    const gaps = [' ', ' ', ' ', '\n', '\n\n', '  ', '\u200c'];
    let whole = '';
    for (let at = 0; at < 60; at++) whole += (WORDS[next(WORDS.length)] ?? '') + (gaps[next(gaps.length)] ?? '');
    for (let cut = 1; cut <= whole.length; cut++) {
      const told = wholeCharacters(whole.slice(0, cut));
      if (told.trimEnd() === '') continue;
      // It was given the turn without white space at its end, so it says that again.
      const rest = whole.slice(told.trimEnd().length);
      expect(joined(told, inPieces(rest, next)), JSON.stringify(told.slice(-20))).toBe(whole);
    }
  });

  it('never tells half a character', () => {
    expect(wholeCharacters('a😀'.slice(0, 2))).toBe('a');
    expect(wholeCharacters('a😀')).toBe('a😀');
    expect(wholeCharacters('سل\ufffd')).toBe('سل');
  });
});

describe('a provider that says its last words again', () => {
  const told = 'Spring came early. The quick brown fox jumps over the lazy dog and';

  it.each([
    ['the whole begun turn', `${told} runs.`],
    ['the sentence that was cut', 'The quick brown fox jumps over the lazy dog and runs.'],
    ['with a space before', ' brown fox jumps over the lazy dog and runs.'],
  ])('is heard once: %s', (_what, said) => {
    for (let seed = 1; seed < 20; seed++) expect(joined(told, inPieces(said, seeded(seed)))).toBe(`${told} runs.`);
  });

  it('is heard once in Persian too, where words are joined by U+200C', () => {
    const begun = 'او هر روز صبح زود به کتاب‌خانهٔ بزرگ شهر می‌رود و ';
    expect(joined(begun, ['او هر روز صبح زود به کتاب‌خانهٔ بزرگ شهر می‌رود و کتاب می‌خواند.'])).toBe(
      `${begun}کتاب می‌خواند.`,
    );
  });

  it.each([
    ['few words, which may be meant', 'He said: very very', ' very good', 'He said: very very very good'],
    ['half a word', 'the dog and', 'android', 'the dog andandroid'],
    [
      'a refrain that was said before',
      'row row row your boat gently down the stream, row row row your boat gently down the stream,',
      ' row row row your boat gently down the stream, merrily',
      'row row row your boat gently down the stream, row row row your boat gently down the stream, row row row your boat gently down the stream, merrily',
    ],
    [
      'a word that goes on after U+200C',
      'او هر روز صبح زود به خانهٔ کتاب',
      ' هر روز صبح زود به خانهٔ کتاب‌ها',
      'او هر روز صبح زود به خانهٔ کتاب هر روز صبح زود به خانهٔ کتاب‌ها',
    ],
    [
      'what ends before it is certain',
      'one two three four five six seven eight nine ten',
      ' three four five',
      'one two three four five six seven eight nine ten three four five',
    ],
  ])('and is not silenced where that is not certain: %s', (_what, begun, said, whole) => {
    expect(joined(begun, [said])).toBe(whole);
    expect(joined(begun, [...said])).toBe(whole);
  });
});

describe('stop sequences over the seam', () => {
  it.each([
    ['and EN', ['D of it'], ['END'], 'and EN<END>'],
    ['and E', ['N', 'D', ' of it'], ['END'], 'and E<END>'],
    ['and E', ['N', 'GLISH'], ['END'], 'and ENGLISH'],
    ['and \n', ['\n', 'Human: x'], ['\n\nHuman:'], 'and \n<\n\nHuman:>'],
    ['and', [' so on'], ['x', ''], 'and so on'],
  ])('%s | %j', (told, pieces, stops, whole) => {
    expect(joined(told, pieces, stops)).toBe(whole);
  });
});

describe('the turn that another provider goes on with', () => {
  const asked = (...messages: Message[]): ChatRequest => ({
    model: 'x',
    messages,
    tools: [],
    output: { kind: 'text' },
    sampling: {},
    reasoning: { effort: 'high' },
    stream: true,
    includeUsage: undefined,
    svc: { knowledgeBaseIds: [] },
    extras: {},
  });
  const user: Message = { role: 'user', parts: [{ kind: 'text', text: 'hi' }] };
  const said = (text: string): Message => ({ role: 'assistant', parts: [{ kind: 'text', text }] });

  it('ends in no white space, and nothing is thought again', () => {
    const request = withBegunTurn(asked(user), 'one two \n\n');
    expect(request.messages).toEqual([user, said('one two')]);
    expect(request.reasoning).toBeUndefined();
  });

  it('is one turn with what the client itself had begun', () => {
    expect(withBegunTurn(asked(user, said('Answer:')), ' 42').messages).toEqual([user, said('Answer: 42')]);
  });
});
