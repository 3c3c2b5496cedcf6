/** Why a request went where it went: the routes in their order, in the reader's words. */
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useBookTexts } from '../book-texts.ts';
import { useLogTexts } from './texts.ts';

/** `1. chat-a:up-model: priority 1, weight 1, 0 running`: what the routing writes into a receipt. */
const LINE = /^\d+\. (\S+): (.+)$/;

export function PlannedRoutes({ plan }: { plan: readonly string[] }) {
  const sayFact = useSayFact();
  return (
    <ol className="plan">
      {plan.map((line) => {
        const [, route, facts] = LINE.exec(line) ?? [];
        return (
          <li key={line}>
            {route === undefined || facts === undefined ? (
              <bdi className="wraps xs">{line}</bdi>
            ) : (
              <>
                <Id value={route} />
                <span className="xs dim">{facts.split(', ').map(sayFact).join(' · ')}</span>
              </>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** Unknown lines are shown as they were written. */
function useSayFact(): (fact: string) => string {
  const { plan: texts, planned } = useLogTexts();
  const { causes } = useBookTexts();
  const format = useFormat();
  return (fact) => {
    const [, name, value = ''] =
      /^(priority|weight|first event|fallback model|circuit open for) (\S+)/.exec(fact) ?? [];
    const [, running] = /^(\d+) running$/.exec(fact) ?? [];
    if (running !== undefined) return texts.running(format.number(Number(running)));
    if (name === 'priority') return texts.priority(format.number(Number(value)));
    if (name === 'weight') return texts.weight(format.number(Number(value), 2));
    if (name === 'first event') return texts.firstEvent(format.seconds(Number(value)));
    if (name === 'fallback model') return texts.fallback(value);
    if (name === 'circuit open for') {
      const [, cause] = /\((.+)\)$/.exec(fact) ?? [];
      const why = cause === undefined ? '' : ` (${labelOf(causes, cause) ?? cause})`;
      return texts.cut(format.number(Number(value))) + why;
    }
    return labelOf(planned, fact) ?? `\u2068${fact}\u2069`;
  };
}
