/**
 * Why each route stood where it did, as the record keeps it. A line says the same of nearly every request in the same words
 * (routing/explain.ts), so a line of those words is kept as its numbers, `[running, first event ms, target, priority, weight]`;
 * what is as usual at its end is left out. Any other line is kept as it is.
 *
 *   1. vendor/chat: priority 1, weight 1, 3 running, first event 212 ms        [3,212]
 *
 * The target is not written where it is that of the attempt with the same number. Rows of 0.1.0 have the lines themselves, under
 * `plan`, and 0.1.0 shows no plan for a row of this form.
 */
import type { Json } from '../core/json.ts';
import type { Neighbours } from './column-kinds.ts';
import type { DetailKind } from './detail-kinds.ts';

/** 0: the route of the attempt with the same number. 1: the same, with the name of its credential. */
type TargetName = string | 0 | 1;
type Usual = [running: number, firstEventMs?: number | null, target?: TargetName, priority?: number, weight?: number];

const USUAL =
  /^([1-9]\d{0,3})\. (\S{1,200}): priority (0|-?[1-9]\d{0,8}), weight (0|[1-9]\d{0,8}|(?:0|[1-9]\d{0,8})\.\d?[1-9]), (0|[1-9]\d{0,8}) running(?:, first event (0|[1-9]\d{0,8}) ms)?$/;

export const PLAN: DetailKind<string[]> = {
  shownAs: 'texts',
  write(plan, record) {
    let text = '';
    for (let at = 0; at < plan.length; at++)
      text += `${at === 0 ? '[' : ','}${lineText(plan[at] as string, at, record)}`;
    return text === '' ? '' : `${text}]`;
  },
  read: (stored, record) =>
    (stored as Json[]).map((line, at) =>
      typeof line === 'string' ? line : usualLine(line as unknown as Usual, at, record),
    ),
};

/** What follows the target, priority and weight of nearly every line. */
const LOAD = /^(0|[1-9]\d{0,8}) running(?:, first event (0|[1-9]\d{0,8}) ms)?$/;

function lineText(line: string, at: number, record: Neighbours): string {
  const beginning = `${at + 1}. ${targetOf(record, at, 0) ?? ''}: priority 1, weight 1, `;
  const load = line.startsWith(beginning) ? LOAD.exec(line.slice(beginning.length)) : null;
  if (load === null) return rareLineText(line, at, record);
  return load[2] === undefined ? `[${load[1]}]` : `[${load[1]},${load[2]}]`;
}

function rareLineText(line: string, at: number, record: Neighbours): string {
  const found = USUAL.exec(line);
  if (!found || found[1] !== `${at + 1}`) return JSON.stringify(line);
  const [, , target, priority, weight, running, firstEventMs] = found;
  const known = target === targetOf(record, at, 0) ? '0' : target === targetOf(record, at, 1) ? '1' : undefined;
  return `[${running},${firstEventMs ?? 'null'},${known ?? JSON.stringify(target)},${priority},${weight}]`;
}

function usualLine(
  [running, firstEventMs = null, target = 0, priority = 1, weight = 1]: Usual,
  at: number,
  record: Neighbours,
): string {
  const name = typeof target === 'number' ? targetOf(record, at, target) : target;
  const line = `${at + 1}. ${name}: priority ${priority}, weight ${weight}, ${running} running`;
  return firstEventMs === null ? line : `${line}, first event ${firstEventMs} ms`;
}

function targetOf({ attempts }: Neighbours, at: number, name: 0 | 1): string | undefined {
  const attempt = attempts?.[at];
  return attempt && (name === 0 ? attempt.route : `${attempt.route}#${attempt.credential}`);
}
