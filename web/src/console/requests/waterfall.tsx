import { useFormat } from '../../format.ts';
import { vars } from '../../parts/meter.tsx';
import { useTexts } from '../../texts/receipt-texts.ts';
import { useShared } from '../../texts/shared.ts';
import type { Receipt } from './own-receipt.ts';

/** Quarters of less than this would be rounded to the same number. */
const SHORT_MS = 20;

/** Attempts from their real beginnings; time runs in reading direction. */
export function Waterfall({ receipt }: { receipt: Receipt }) {
  const texts = useTexts();
  const { seconds } = useShared();
  const format = useFormat();
  const begin = Math.min(...receipt.attempts.map(({ started_at: at }) => new Date(at).getTime()));
  const end = Math.max(...receipt.attempts.map(({ started_at: at, duration_ms: ms }) => new Date(at).getTime() + ms));
  const span = Math.max(1, end - begin);
  return (
    <section>
      <h3>
        {texts.attempts} <span className="xs dim">{seconds}</span>
      </h3>
      <div className="wf">
        {receipt.attempts.map((attempt, index) => {
          const start = new Date(attempt.started_at).getTime() - begin;
          const first = attempt.first_event_ms;
          const isWrong = attempt.outcome === 'broken-answer';
          const good = first !== null && !isWrong;
          const isCut = receipt.attempts.slice(index + 1).some(({ continues }) => continues);
          const said = isCut ? texts.attemptCut : texts.attemptOk;
          const share = (ms: number) => `${(ms / span) * 100}%`;
          return (
            <div className="stack gap-s" key={attempt.started_at + String(index)}>
              <div className="row between">
                <span>
                  {format.number(index + 1)}.{' '}
                  {attempt.provider === null ? texts.route(format.number(index + 1)) : <bdi>{attempt.provider}</bdi>}
                </span>
                <span className={good && !isCut ? 'xs mid' : 'xs bad'}>
                  {good
                    ? said(format.seconds(first), format.seconds(Math.max(0, attempt.duration_ms - first)))
                    : isWrong
                      ? texts.attemptWrong(format.seconds(attempt.duration_ms))
                      : texts.attemptFailed(
                          String(attempt.status ?? attempt.outcome),
                          format.seconds(attempt.duration_ms),
                        )}
                </span>
              </div>
              {attempt.continues && <p className="xs mid">{texts.continues}</p>}
              <div className="lane">
                {good ? (
                  <>
                    <i className="wait" style={vars({ '--a': share(start), '--w': share(first) })} />
                    <i
                      className="flow"
                      style={vars({
                        '--a': share(start + first),
                        '--w': share(Math.max(0, attempt.duration_ms - first)),
                      })}
                    />
                  </>
                ) : (
                  <i className="fail" style={vars({ '--a': share(start), '--w': share(attempt.duration_ms) })} />
                )}
              </div>
            </div>
          );
        })}
        <div className="axis" aria-hidden="true">
          {(span < SHORT_MS ? [0, 1] : [0, 0.25, 0.5, 0.75, 1]).map((part) => (
            <span key={part}>{format.number((span * part) / 1000, span < 400 ? 3 : span < 4_000 ? 2 : 1)}</span>
          ))}
        </div>
      </div>
    </section>
  );
}
