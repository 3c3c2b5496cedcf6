/** The line of gates of keys and accounts: a tested request passes down the line until one stops it. */
import type { ReactNode } from 'react';
import { useFormat } from '../format.ts';
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';

/** The verdict of the rule tester on each rule. */
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
  /** The names of the server's rules that this gate shows. */
  judged: readonly string[];
  period?: string;
}

/**
 * Rules that refuse nothing stand below the line, without a number: a tested request does not pass them. Where no rule
 * is judged (the limits of an account) all of them stay in the line.
 */
export function Gates({ gates, verdicts }: { gates: readonly Gate[]; verdicts?: Verdicts | undefined }) {
  const texts = useShared();
  const judged = gates.filter(({ judged }) => judged.length > 0);
  const behaviour = judged.length > 0 ? gates.filter(({ judged }) => judged.length === 0) : [];
  return (
    <>
      <ol className="gates">
        {(behaviour.length > 0 ? judged : gates).map((gate, index) => (
          <JudgedGate key={gate.id} gate={gate} place={index + 1} verdict={verdictAt(gate, verdicts)} />
        ))}
      </ol>
      {behaviour.length > 0 && (
        <section className="behaviour">
          <h3>{texts.behaviour}</h3>
          <ul>
            {behaviour.map((gate) => (
              <li key={gate.id}>
                <GateText gate={gate} heading="h4" />
                <GateControl gate={gate} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function JudgedGate({ gate, place, verdict }: { gate: Gate; place: number; verdict: Verdict | undefined }) {
  const texts = useShared();
  const format = useFormat();
  const kind =
    verdict === undefined ? undefined : { passes: 'pass', refuses: 'halt', not_reached: 'idle' }[verdict.verdict];
  return (
    <li className={kind}>
      <span className="mark">
        {verdict?.verdict === 'passes' ? (
          <Icon name="check" />
        ) : verdict?.verdict === 'refuses' ? (
          <Icon name="x" />
        ) : (
          format.number(place)
        )}
      </span>
      <GateText gate={gate}>
        {verdict?.verdict === 'refuses' && verdict.message !== null && <p className="why">{verdict.message}</p>}
        {verdict?.verdict === 'not_reached' && <p className="dim xs">{texts.notReached}</p>}
      </GateText>
      <GateControl gate={gate} />
    </li>
  );
}

interface GateTextProps {
  gate: Gate;
  heading?: 'h3' | 'h4';
  children?: ReactNode;
}

function GateText({ gate, heading: Heading = 'h3', children }: GateTextProps) {
  return (
    <div>
      <Heading>{gate.name}</Heading>
      <p>{gate.sentence}</p>
      {children}
    </div>
  );
}

function GateControl({ gate }: { gate: Gate }) {
  return (
    <div className="ctl">
      {gate.control}
      {gate.note !== undefined && <span className="stat-note">{gate.note}</span>}
    </div>
  );
}

type Verdict = Pick<Verdicts[number], 'verdict' | 'message'>;

/** One gate may show several rules; the strictest verdict counts. A rule that was not checked stops nothing. */
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

/** The gate that shows a rule, as the list names it; none where the request itself is wrong. */
export function gateOf({ rule, detail }: Verdicts[number], gates: readonly Gate[]): string | undefined {
  return gates.find(({ judged, period }) => judged.includes(rule) && isOfPeriod(detail, period))?.name;
}
