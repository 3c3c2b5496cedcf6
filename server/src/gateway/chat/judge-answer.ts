/**
 * Whether the answer to a chat is what was promised: its texts go to the judge (guarantee/judge.ts), and repaired ones
 * come back.
 */
import type { ChatResponse, Choice, Part } from '../../core/chat.ts';
import type { JudgedText, TextVerdict } from '../../guarantee/index.ts';
import type { GuaranteeTold } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import type { Gateway } from '../gateway.ts';
import type { JudgedAnswer } from '../paid/paid-endpoint.ts';
import { producedWhole } from './deliver-chat.ts';
import type { AnsweredWhole, BegunAnswer } from './open-reply.ts';
import { isTextEnforced, type Promised } from './promised.ts';
import type { PaidChat } from './read-chat.ts';

/** A text of the answer, and how it is put back into it. */
interface Piece {
  judged: JudgedText;
  /** If it is invalid the answer is free: the guarantee covers it on this route. */
  covered: boolean;
  put(text: string): void;
}

export async function judgeAnswer(
  { asked, run }: PaidChat,
  { begun, target }: WinningAttempt<BegunAnswer>,
  gw: Gateway,
): Promise<JudgedAnswer<BegunAnswer>> {
  if (begun.kind !== 'whole') throw new Error('a stream that is judged must be read to its end');
  const usage = () => {
    const { reported, counted } = producedWhole(run, begun);
    return reported ?? counted();
  };
  const judgement = (told: GuaranteeTold, answer: AnsweredWhole = begun) => ({ begun: answer, told, usage });
  const reason = begun.response.choices.map(endedOtherwise).find((word) => word !== undefined);
  if (reason !== undefined) return judgement({ state: 'not_covered', repairs: [], reason });
  const { promised, request } = asked;
  const response = copyOf(begun.response);
  const enforced = { text: isEnforcing(target) && isTextEnforced(request, target.route.provider.protocol) };
  const pieces = promised ? piecesOf(response, promised, { ...enforced, tools: isEnforcing(target) }) : [];
  const verdicts = pieces.length === 0 ? [] : await gw.judge.judge(pieces.map(({ judged }) => judged));
  if (typeof verdicts === 'string') return judgement({ state: 'not_covered', repairs: [], reason: verdicts });
  const told = toldOf(pieces, verdicts);
  if (promised?.text && promised.text.schema === undefined && told.state === 'kept') {
    told.state = 'not_covered';
    told.reason = 'schema';
  }
  if (told.repairs.length === 0) return judgement(told);
  for (const [at, { text }] of verdicts.entries()) if (text !== undefined) pieces[at]?.put(text);
  return judgement(told, { ...begun, response, relayBody: undefined });
}

/** An answer that was cut by its own limit, or that the model refused, broke no promise. */
function endedOtherwise({ parts, finish }: Choice): string | undefined {
  if (finish.kind === 'length') return 'length';
  if (finish.kind === 'content-filter') return 'content_filter';
  return parts.some(({ kind }) => kind === 'refusal') ? 'refusal' : undefined;
}

/** Proved by the conformance matrix, or declared and not disproved. */
function isEnforcing({ model, route }: Target): boolean {
  if (route.conformance?.failed.has('schema')) return false;
  return model.capabilities.has('json_schema') || route.conformance?.passed.has('schema') === true;
}

function piecesOf({ choices }: ChatResponse, promised: Promised, enforced: { text: boolean; tools: boolean }): Piece[] {
  return choices.flatMap((choice) => {
    const calls = choice.parts.flatMap((part) => (part.kind === 'tool-call' && part.custom !== true ? [part] : []));
    const pieces = calls.map((call): Piece => {
      const judged = { text: call.arguments, schema: promised.tools.get(call.name), isArguments: true };
      const put = (text: string) => {
        call.arguments = text;
      };
      return { judged, covered: enforced.tools, put };
    });
    const isText = promised.text !== undefined && !choice.parts.some(({ kind }) => kind === 'tool-call');
    return isText && promised.text ? [textPiece(choice, promised.text.schema, enforced.text)] : pieces;
  });
}

function textPiece(choice: Choice, schema: JudgedText['schema'], isEnforced: boolean): Piece {
  const texts = choice.parts.flatMap((part) => (part.kind === 'text' ? [part] : []));
  return {
    judged: { text: texts.map(({ text }) => text).join(''), schema, isArguments: false },
    covered: isEnforced && schema !== undefined,
    put(text) {
      const [first, ...more] = texts;
      if (first) first.text = text;
      choice.parts = choice.parts.filter((part) => !more.some((one) => one === part));
    },
  };
}

function toldOf(pieces: readonly Piece[], verdicts: readonly TextVerdict[]): GuaranteeTold {
  const wrong = verdicts.findIndex(({ state }, at) => state === 'broken' && pieces[at]?.covered === true);
  const unmet = verdicts.find(({ state }) => state !== 'ok');
  const found = verdicts[wrong] ?? unmet;
  if (!found) return { state: 'kept', repairs: [...new Set(verdicts.flatMap(({ repairs = [] }) => repairs))] };
  const repairs = found.state === 'broken' ? [] : [...new Set(verdicts.flatMap((one) => one.repairs ?? []))];
  return { state: wrong >= 0 ? 'broken' : 'unmet', repairs, fault: found.fault, at: found.at };
}

/** A copy deep enough to change texts in it. */
function copyOf(response: ChatResponse): ChatResponse {
  const choices = response.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part): Part => ({ ...part })),
  }));
  return { ...response, choices };
}
