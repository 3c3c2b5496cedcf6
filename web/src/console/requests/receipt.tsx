/** The receipt, in words for people who are not accountants: what was answered, how it was counted, where the money went. */
import { useLocation } from 'wouter';
import type { getReceipt, getRequestTexts } from '../../../../server/src/http/console/routes/usage.ts';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { fromMicros, micros, roughly, useFormat } from '../../format.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Amount, AmountCell, Code, CopyButton, Id, Moment, Pill, vars } from '../../parts/small.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useRequestWords, useStateOf } from '../../words/request-words.ts';
import { curlSample } from '../samples.ts';
import { useWords } from './words.ts';

type Receipt = Result<typeof getReceipt>;
interface PriceLine {
  bucket: string;
  units: number;
  toman_per_million: string;
  amount: string;
}

export function ReceiptDrawer({
  id,
  keyName,
  onClose,
  onNext,
}: {
  id: string;
  keyName(id: string): string;
  onClose(): void;
  onNext?: (() => void) | undefined;
}) {
  const words = useWords();
  const [, navigate] = useLocation();
  const read = useRead<typeof getReceipt>('GET /api/console/requests/:id', { params: { id } });
  const receipt = read.data;
  return (
    <Drawer
      title={words.receipt}
      onClose={onClose}
      bar={
        <>
          <Id value={id} copy boxed />
          {onNext !== undefined && (
            <button type="button" className="btn icon" aria-label={words.next} onClick={onNext}>
              <Icon name="down" />
            </button>
          )}
        </>
      }
      footer={
        receipt !== undefined && (
          <>
            <span className="btn">
              <CopyButton text={curlSample(receipt.model)} label={words.asCurl} />
              <bdi dir="ltr">{words.asCurl}</bdi>
            </span>
            <button
              type="button"
              className="btn"
              onClick={() => navigate(`/console/playground?model=${encodeURIComponent(receipt.model)}`)}
            >
              <Icon name="flask" />
              {words.replay}
            </button>
            <button type="button" className="btn plain" onClick={() => navigate(`/console/tickets?request=${id}`)}>
              {words.ask}
            </button>
          </>
        )
      }
    >
      {read.error !== null ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : receipt === undefined ? (
        <section>
          <span className="skel block" />
        </section>
      ) : (
        <>
          <Head receipt={receipt} />
          {receipt.attempts.length > 0 && <Waterfall receipt={receipt} />}
          <Formula receipt={receipt} />
          <Settlement receipt={receipt} />
          <Facts receipt={receipt} keyName={keyName(receipt.key_id)} />
          {receipt.texts_kept && <Texts id={id} />}
        </>
      )}
    </Drawer>
  );
}

function Head({ receipt }: { receipt: Receipt }) {
  const words = useWords();
  const format = useFormat();
  const { tone, word } = useStateOf()(receipt);
  const failed = receipt.attempts.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'completed').length;
  const answered =
    receipt.state === 'completed' || receipt.state === 'interrupted' || receipt.state === 'client_closed';
  const sentence = answered
    ? words.sentence(
        `\u2066${receipt.model}\u2069`,
        format.seconds(receipt.duration_ms),
        format.number(receipt.output_tokens ?? 0),
      )
    : receipt.state === 'running'
      ? words.sentenceRunning
      : receipt.state === 'refused'
        ? words.sentenceRefused
        : words.sentenceFailed;
  return (
    <section>
      <div className="row between">
        <Pill tone={tone}>{word}</Pill>
        <span className="xs dim">
          <Moment at={receipt.created_at} exact />
        </span>
      </div>
      <div className="hero">
        <Amount value={receipt.cost} unit />
      </div>
      <p className="mid text">
        {sentence} {answered && failed > 0 && words.retried(failed, format.number(failed))}
      </p>
      {receipt.error !== null && (
        <p>
          <Id value={receipt.error.code} boxed />
        </p>
      )}
    </section>
  );
}

/** Attempts from their real beginnings; time runs in reading direction. */
function Waterfall({ receipt }: { receipt: Receipt }) {
  const words = useWords();
  const format = useFormat();
  const begin = Math.min(...receipt.attempts.map(({ started_at: at }) => new Date(at).getTime()));
  const end = Math.max(...receipt.attempts.map(({ started_at: at, duration_ms: ms }) => new Date(at).getTime() + ms));
  const span = Math.max(1, end - begin);
  return (
    <section>
      <h3>
        {words.attempts} <span className="xs dim">{words.total.split('،')[1] ?? ''}</span>
      </h3>
      <div className="wf">
        {receipt.attempts.map((attempt, index) => {
          const start = new Date(attempt.started_at).getTime() - begin;
          const first = attempt.first_event_ms;
          const good = first !== null;
          const share = (ms: number) => `${(ms / span) * 100}%`;
          return (
            <div className="stack s" key={attempt.started_at + String(index)}>
              <div className="row between">
                <span>
                  {format.number(index + 1)}.{' '}
                  {attempt.provider === null ? words.route(format.number(index + 1)) : <bdi>{attempt.provider}</bdi>}
                </span>
                <span className={good ? 'xs mid' : 'xs bad'}>
                  {good
                    ? words.attemptOk(format.seconds(first), format.seconds(Math.max(0, attempt.duration_ms - first)))
                    : words.attemptFailed(
                        String(attempt.status ?? attempt.outcome),
                        format.seconds(attempt.duration_ms),
                      )}
                </span>
              </div>
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
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <span key={part}>{format.number((span * part) / 1000, span < 400 ? 3 : span < 4_000 ? 2 : 1)}</span>
          ))}
        </div>
      </div>
    </section>
  );
}

function Formula({ receipt }: { receipt: Receipt }) {
  const words = useWords();
  const names = useRequestWords();
  const format = useFormat();
  const lines = (receipt.price as { lines?: PriceLine[] } | null)?.lines ?? [];
  if (lines.length === 0) {
    return (
      <section>
        <h3>{words.formula}</h3>
        <p className="mid">{words.free}</p>
      </section>
    );
  }
  return (
    <section>
      <h3>{words.formula}</h3>
      <table className="calc">
        <thead>
          <tr>
            <th scope="col">{words.share}</th>
            <th scope="col" className="n">
              {words.units}
            </th>
            <th scope="col" className="n">
              {words.perMillion}
            </th>
            <th scope="col" className="n">
              {words.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.bucket}>
              <td>{names.buckets[line.bucket] ?? <bdi>{line.bucket}</bdi>}</td>
              <td className="n">{format.number(line.units)}</td>
              <td className="n mid">
                <span className="op">×</span> {format.money(line.toman_per_million)}
              </td>
              <td className="n">
                <AmountCell value={line.amount} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={3}>{words.sum}</td>
            <td className="n">
              <AmountCell value={receipt.cost} />
            </td>
          </tr>
        </tfoot>
      </table>
      <p className="xs dim formula">
        <Id value={receipt.formula} copy />
      </p>
    </section>
  );
}

function Settlement({ receipt }: { receipt: Receipt }) {
  const words = useWords();
  const format = useFormat();
  const held = roughly(receipt.held);
  if (held <= 0) return null;
  const share = Math.min(1, roughly(receipt.cost) / held);
  const released = fromMicros(
    micros(receipt.held) - micros(receipt.cost) < 0n ? 0n : micros(receipt.held) - micros(receipt.cost),
  );
  return (
    <section>
      <h3>{words.money}</h3>
      <div
        className="settle"
        role="img"
        aria-label={words.settleName(format.percent(share))}
        style={vars({ '--p': `${share * 100}%` })}
      >
        <i />
      </div>
      <dl className="trio">
        <div>
          <dt>
            <span className="swatch h" />
            {words.held}
          </dt>
          <dd>
            <Amount value={receipt.held} />
          </dd>
        </div>
        <div>
          <dt>
            <span className="swatch" />
            {words.taken}
          </dt>
          <dd>
            <Amount value={receipt.cost} />
          </dd>
        </div>
        <div>
          <dt>{words.released}</dt>
          <dd>
            <Amount value={released} />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Facts({ receipt, keyName }: { receipt: Receipt; keyName: string }) {
  const words = useWords();
  const format = useFormat();
  const version = (receipt.price as { version?: string } | null)?.version;
  return (
    <section>
      <dl className="facts">
        <dt>{words.key}</dt>
        <dd>
          <bdi>{keyName}</bdi>
        </dd>
        {version !== undefined && (
          <>
            <dt>{words.priceVersion}</dt>
            <dd>
              <Id value={version} />
            </dd>
          </>
        )}
        {receipt.usage_source !== null && (
          <>
            <dt>{words.counted}</dt>
            <dd>{receipt.usage_source === 'upstream' ? words.countedUpstream : words.countedEstimated}</dd>
          </>
        )}
        <dt>{words.endpoint}</dt>
        <dd>
          <Id value={receipt.endpoint} />
        </dd>
        {receipt.user !== null && (
          <>
            <dt>{words.user}</dt>
            <dd>
              <Id value={receipt.user} />
            </dd>
          </>
        )}
        {receipt.retrieved_tokens > 0 && (
          <>
            <dt>{words.knowledge}</dt>
            <dd>{words.retrieved(format.number(receipt.retrieved_tokens))}</dd>
          </>
        )}
        {receipt.warnings.length > 0 && (
          <>
            <dt>{words.warnings}</dt>
            <dd dir="auto">{receipt.warnings.join(' · ')}</dd>
          </>
        )}
        {!receipt.texts_kept && (
          <>
            <dt>{words.texts}</dt>
            <dd>{words.textsOff}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** Asked for only when someone wants to see it. */
function Texts({ id }: { id: string }) {
  const words = useWords();
  const read = useChange<typeof getRequestTexts>('GET /api/console/requests/:id/texts');
  const texts = read.data;
  return (
    <section>
      <h3>{words.texts}</h3>
      {texts === undefined ? (
        <button type="button" className="btn" disabled={read.isPending} onClick={() => read.mutate({ params: { id } })}>
          <Icon name="eye" />
          {words.textsShow}
        </button>
      ) : (
        <div className="stack m">
          <div className="stack s">
            <span className="xs dim">{words.prompt}</span>
            <Code text={JSON.stringify(texts.request, null, 2)} />
          </div>
          <div className="stack s">
            <span className="xs dim">{words.answer}</span>
            <p dir="auto" className="text">
              {texts.answer ?? '—'}
            </p>
          </div>
          <p className="xs dim">
            {words.textsUntil} <Moment at={texts.expires_at} exact />
          </p>
        </div>
      )}
    </section>
  );
}
