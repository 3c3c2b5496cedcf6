/** Why a request went where it went: the routes in their order, in the reader's words. */
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useBookWords } from '../book-words.ts';
import { useLogWords } from './words.ts';

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

/** What is not known yet is said as it was written. */
function useSayFact(): (fact: string) => string {
  const { plan: words, planned } = useLogWords();
  const { causes } = useBookWords();
  const format = useFormat();
  return (fact) => {
    const [, name, value = ''] =
      /^(priority|weight|first event|fallback model|circuit open for) (\S+)/.exec(fact) ?? [];
    const [, running] = /^(\d+) running$/.exec(fact) ?? [];
    if (running !== undefined) return words.running(format.number(Number(running)));
    if (name === 'priority') return words.priority(format.number(Number(value)));
    if (name === 'weight') return words.weight(format.number(Number(value), 2));
    if (name === 'first event') return words.firstEvent(format.seconds(Number(value)));
    if (name === 'fallback model') return words.fallback(value);
    if (name === 'circuit open for') {
      const [, cause] = /\((.+)\)$/.exec(fact) ?? [];
      const why = cause === undefined ? '' : ` (${wordOf(causes, cause) ?? cause})`;
      return words.cut(format.number(Number(value))) + why;
    }
    return wordOf(planned, fact) ?? `\u2068${fact}\u2069`;
  };
}
