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
import { ReceiptGuarantee } from '../../parts/receipt-guarantee.tsx';
import { Formula, ReceiptHead, Settlement } from '../../parts/receipt-money.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useRequestTexts } from '../../texts/request-texts.ts';
import { useShared } from '../../texts/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { useBookTexts } from '../book-texts.ts';
import { useTexts } from '../texts.ts';
import { PlannedRoutes } from './plan.tsx';
import { useOperatorState } from './state.ts';
import { useLogTexts } from './texts.ts';

type Receipt = Result<typeof getOperatorReceipt>;

export function OperatorReceiptDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const texts = useTexts();
  const read = useRead<typeof getOperatorReceipt>('GET /api/admin/requests/:id', { params: { id } });
  const receipt = read.data;
  return (
    <Drawer title={texts.receipt} bar={<Id value={id} copy boxed />} onClose={onClose}>
      {read.error !== null && receipt === undefined && <Trouble error={read.error} />}
      {receipt !== undefined && (
        <>
          <Head receipt={receipt} />
          <About receipt={receipt} />
          <Attempts receipt={receipt} />
          <Formula receipt={receipt} />
          <Settlement receipt={receipt} />
          <ReceiptGuarantee receipt={receipt} />
          {receipt.passages.length > 0 && (
            <section>
              <h3>{texts.passages}</h3>
              <PassageList passages={receipt.passages} />
            </section>
          )}
          <section>
            <details>
              <summary>{texts.raw}</summary>
              <Code text={JSON.stringify(receipt, null, 2)} />
            </details>
          </section>
        </>
      )}
    </Drawer>
  );
}

function Head({ receipt }: { receipt: Receipt }) {
  const own = useLogTexts();
  const { tone, word } = useOperatorState()(receipt);
  const { cost, provider_cost: bought, attempts } = receipt;
  const continued = attempts.reduce(
    (sum, { continues, provider_cost: spent }) => (continues && spent !== undefined ? sum + micros(spent) : sum),
    0n,
  );
  const profit = bought === null ? 0n : micros(cost) - micros(bought) - continued;
  return (
    <section>
      <ReceiptHead tone={tone} word={word} at={receipt.created_at} cost={cost} />
      {bought !== null && (
        <dl className="facts">
          <dt>{own.bought}</dt>
          <dd>
            <Amount value={bought} unit />
          </dd>
          {continued > 0n && (
            <>
              <dt>{own.continued}</dt>
              <dd>
                <Amount value={fromMicros(continued)} unit />
              </dd>
            </>
          )}
          <dt>{own.profit}</dt>
          <dd>
            <Amount value={fromMicros(profit)} unit tone={profit < 0n ? 'bad' : ''} />
          </dd>
        </dl>
      )}
    </section>
  );
}

function About({ receipt }: { receipt: Receipt }) {
  const texts = useTexts();
  const own = useLogTexts();
  const { endpoints } = useRequestTexts();
  const shared = useShared();
  const format = useFormat();
  const keys = useRead<typeof listKeys>('GET /api/admin/keys', {
    query: { account_id: receipt.account_id, limit: 100 },
  }).data?.data;
  const key = keys?.find(({ id }) => id === receipt.key_id)?.name;
  const { usage } = receipt;
  const rows: (readonly [string, React.ReactNode])[] = [
    [texts.account, <AccountLink key="account" id={receipt.account_id} />],
    [own.key, key === undefined ? <Id key="key" value={receipt.key_id} /> : <bdi key="key">{key}</bdi>],
    [texts.model, <Id key="model" value={receipt.model} />],
    [own.endpoint, labelOf(endpoints, receipt.endpoint) ?? <Id key="endpoint" value={receipt.endpoint} />],
    [texts.provider, receipt.provider === null ? '—' : <Id key="provider" value={receipt.provider} />],
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
    ...(receipt.plan.length === 0 ? [] : [[texts.plan, <PlannedRoutes key="plan" plan={receipt.plan} />] as const]),
  ];
  return (
    <section>
      <FactList facts={rows} />
    </section>
  );
}

function Attempts({ receipt: { attempts } }: { receipt: Receipt }) {
  const texts = useTexts();
  const own = useLogTexts();
  const { causes } = useBookTexts();
  const shared = useShared();
  const format = useFormat();
  if (attempts.length === 0) return null;
  return (
    <section>
      <h3>{own.attempts}</h3>
      <ol className="stack gap-m">
        {attempts.map((attempt) => (
          <li key={attempt.started_at + attempt.route} className="stack gap-s">
            <div className="row between">
              <Id value={attempt.route} />
              <span className="xs dim">
                {format.seconds(attempt.duration_ms)} {shared.seconds}
              </span>
            </div>
            <div className="row">
              <Pill tone={attempt.outcome === 'ok' ? 'ok' : 'bad'}>
                {attempt.outcome === 'ok' ? texts.ok : (labelOf(causes, attempt.outcome) ?? attempt.outcome)}
              </Pill>
              {attempt.status !== null && <Id value={String(attempt.status)} />}
              {attempt.continues && <span className="xs mid">{own.continues}</span>}
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
