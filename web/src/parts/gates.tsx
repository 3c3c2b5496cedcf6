/** The line of gates: a tested request walks down it until one stops it. Of keys and of accounts. */
import type { ReactNode } from 'react';
import { useFormat } from '../format.ts';
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';

/** What the rule tester told of each rule. */
export type Verdicts = readonly {
  rule: string;
  verdict: 'passes' | 'refuses' | 'not_reached';
  message: string | null;
  detail?: unknown;
}[];

export interface Gate {
  id: string;
  name: string;
  sentence: string;
  control?: ReactNode;
  note?: string | undefined;
  /** The names of the server's rules that this gate stands for. */
  judged: readonly string[];
  period?: string;
}

export function Gates({ gates, verdicts }: { gates: readonly Gate[]; verdicts?: Verdicts | undefined }) {
  const texts = useShared();
  const format = useFormat();
  return (
    <ol className="gates">
      {gates.map((gate, index) => {
        const verdict = verdictAt(gate, verdicts);
        const kind =
          verdict === undefined ? undefined : { passes: 'pass', refuses: 'halt', not_reached: 'idle' }[verdict.verdict];
        return (
          <li key={gate.id} className={kind}>
            <span className="mark">
              {verdict?.verdict === 'passes' ? (
                <Icon name="check" />
              ) : verdict?.verdict === 'refuses' ? (
                <Icon name="x" />
              ) : (
                format.number(index + 1)
              )}
            </span>
            <div>
              <h3>{gate.name}</h3>
              <p>{gate.sentence}</p>
              {verdict?.verdict === 'refuses' && verdict.message !== null && <p className="why">{verdict.message}</p>}
              {verdict?.verdict === 'not_reached' && <p className="dim xs">{texts.notReached}</p>}
            </div>
            <div className="ctl">
              {gate.control}
              {gate.note !== undefined && <span className="stat-note">{gate.note}</span>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

type Verdict = Pick<Verdicts[number], 'verdict' | 'message'>;

/** The server may name several rules behind one gate; the strictest verdict is shown. A rule that it had no need to ask holds nothing up. */
function verdictAt({ judged, period }: Gate, verdicts: Verdicts | undefined): Verdict | undefined {
  if (verdicts === undefined) return undefined;
  const found = verdicts.filter(({ rule }) => judged.includes(rule));
  const own = found.filter(({ detail }) => isOfPeriod(detail, period));
  const among = own.length > 0 ? own : found.filter(({ verdict }) => verdict !== 'refuses');
  const isRefused = verdicts.some(({ verdict }) => verdict === 'refuses');
  return (
    among.find(({ verdict }) => verdict === 'refuses') ??
    among.find(({ verdict }) => verdict === 'not_reached') ??
    among[0] ?? { verdict: isRefused ? 'not_reached' : 'passes', message: null }
  );
}

function isOfPeriod(detail: unknown, period: string | undefined): boolean {
  return period === undefined || JSON.stringify(detail).includes(`.${period}`);
}

/** The gate that a rule of the server stands behind, as the list names it; none where the request itself is wrong. */
export function gateOf({ rule, detail }: Verdicts[number], gates: readonly Gate[]): string | undefined {
  return gates.find(({ judged, period }) => judged.includes(rule) && isOfPeriod(detail, period))?.name;
}
