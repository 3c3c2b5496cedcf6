/** The whole receipt: what it sold for and cost, how it was counted, every attempt with its cause, and the record itself. */
import type { listKeys } from '@dargah/api/admin/keys.ts';
import type { getOperatorReceipt } from '@dargah/api/admin/requests.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { fromMicros, micros, useFormat } from '../../format.ts';
import { Code, Id } from '../../parts/copyable.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { Amount } from '../../parts/figures.tsx';
import { PassageList } from '../../parts/passage-list.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Formula, ReceiptHead, Settlement } from '../../parts/receipt-money.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useRequestWords } from '../../words/request-words.ts';
import { useShared } from '../../words/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { useBookWords } from '../book-words.ts';
import { useWords } from '../words.ts';
import { PlannedRoutes } from './plan.tsx';
import { useOperatorState } from './state.ts';
import { useLogWords } from './words.ts';

type Receipt = Result<typeof getOperatorReceipt>;

export function OperatorReceiptDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWords();
  const read = useRead<typeof getOperatorReceipt>('GET /api/admin/requests/:id', { params: { id } });
  const receipt = read.data;
  return (
    <Drawer title={words.receipt} bar={<Id value={id} copy boxed />} onClose={onClose}>
      {read.error !== null && receipt === undefined && <Trouble error={read.error} />}
      {receipt !== undefined && (
        <>
          <Head receipt={receipt} />
          <About receipt={receipt} />
          <Attempts receipt={receipt} />
          <Formula receipt={receipt} />
          <Settlement receipt={receipt} />
          {receipt.passages.length > 0 && (
            <section>
              <h3>{words.passages}</h3>
              <PassageList passages={receipt.passages} />
            </section>
          )}
          <section>
            <details>
              <summary>{words.raw}</summary>
              <Code text={JSON.stringify(receipt, null, 2)} />
            </details>
          </section>
        </>
      )}
    </Drawer>
  );
}

function Head({ receipt }: { receipt: Receipt }) {
  const own = useLogWords();
  const { tone, word } = useOperatorState()(receipt);
  const { cost, provider_cost: bought } = receipt;
  return (
    <section>
      <ReceiptHead tone={tone} word={word} at={receipt.created_at} cost={cost} />
      {bought !== null && (
        <dl className="facts">
          <dt>{own.bought}</dt>
          <dd>
            <Amount value={bought} unit />
          </dd>
          <dt>{own.profit}</dt>
          <dd>
            <Amount
              value={fromMicros(micros(cost) - micros(bought))}
              unit
              tone={micros(cost) < micros(bought) ? 'bad' : ''}
            />
          </dd>
        </dl>
      )}
    </section>
  );
}

function About({ receipt }: { receipt: Receipt }) {
  const words = useWords();
  const own = useLogWords();
  const { endpoints } = useRequestWords();
  const shared = useShared();
  const format = useFormat();
  const keys = useRead<typeof listKeys>('GET /api/admin/keys', {
    query: { account_id: receipt.account_id, limit: 100 },
  }).data?.data;
  const key = keys?.find(({ id }) => id === receipt.key_id)?.name;
  const { usage } = receipt;
  const rows: (readonly [string, React.ReactNode])[] = [
    [words.account, <AccountLink key="account" id={receipt.account_id} />],
    [own.key, key === undefined ? <Id key="key" value={receipt.key_id} /> : <bdi key="key">{key}</bdi>],
    [words.model, <Id key="model" value={receipt.model} />],
    [own.endpoint, wordOf(endpoints, receipt.endpoint) ?? <Id key="endpoint" value={receipt.endpoint} />],
    [words.provider, receipt.provider === null ? '—' : <Id key="provider" value={receipt.provider} />],
    ...(usage === null
      ? []
      : [
          [
            own.tokens,
            own.tokensOf(format.number(usage.prompt_tokens), format.number(usage.completion_tokens)),
          ] as const,
        ]),
    [
      own.duration,
      receipt.first_event_ms === null
        ? `${format.seconds(receipt.duration_ms)} ${shared.seconds}`
        : own.durationOf(format.seconds(receipt.duration_ms), format.seconds(receipt.first_event_ms)),
    ],
    ...(receipt.user === null ? [] : [[own.user, <Id key="user" value={receipt.user} />] as const]),
    ...(receipt.error === null ? [] : [[own.error, <Id key="error" value={receipt.error.code} />] as const]),
    ...(receipt.plan.length === 0 ? [] : [[words.plan, <PlannedRoutes key="plan" plan={receipt.plan} />] as const]),
  ];
  return (
    <section>
      <FactList facts={rows} />
    </section>
  );
}

function Attempts({ receipt: { attempts } }: { receipt: Receipt }) {
  const words = useWords();
  const own = useLogWords();
  const { causes } = useBookWords();
  const shared = useShared();
  const format = useFormat();
  if (attempts.length === 0) return null;
  return (
    <section>
      <h3>{own.attempts}</h3>
      <ol className="stack m">
        {attempts.map((attempt) => (
          <li key={attempt.started_at + attempt.route} className="stack s">
            <div className="row between">
              <Id value={attempt.route} />
              <span className="xs dim">
                {format.seconds(attempt.duration_ms)} {shared.seconds}
              </span>
            </div>
            <div className="row">
              <Pill tone={attempt.outcome === 'ok' ? 'ok' : 'bad'}>
                {attempt.outcome === 'ok' ? words.ok : (wordOf(causes, attempt.outcome) ?? attempt.outcome)}
              </Pill>
              {attempt.status !== null && <Id value={String(attempt.status)} />}
            </div>
            {attempt.cause !== null && (
              <p className="mid xs wraps">
                <bdi>{attempt.cause}</bdi>
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
