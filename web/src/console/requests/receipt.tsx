/** The receipt, in words for people who are not accountants: what was answered, how it was counted, where the money went. */

import type { getReceipt, getRequestTexts } from '@dargah/api/console/own-requests.ts';
import { remedyPath } from '@dargah/core/remedies.ts';
import { Link, useLocation } from 'wouter';
import { useChange, useRead } from '../../api/read.ts';
import { micros, useFormat } from '../../format.ts';
import { Code, CopyButton, Id } from '../../parts/copyable.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Amount, Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PassageList } from '../../parts/passage-list.tsx';
import { ReceiptGuarantee } from '../../parts/receipt-guarantee.tsx';
import { Formula, ReceiptHead, Settlement } from '../../parts/receipt-money.tsx';
import { ReceiptRouting } from '../../parts/receipt-routing.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMayWrite } from '../../session.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useTexts } from '../../texts/receipt-texts.ts';
import { useRequestTexts, useStateOf } from '../../texts/request-texts.ts';
import { passageAddress } from '../knowledge/passage-address.ts';
import { curlSample } from '../samples.ts';
import type { Receipt } from './own-receipt.ts';
import { Waterfall } from './waterfall.tsx';

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
  const texts = useTexts();
  const mayWrite = useMayWrite();
  const [, navigate] = useLocation();
  const read = useRead<typeof getReceipt>('GET /api/console/requests/:id', { params: { id } });
  const receipt = read.data;
  return (
    <Drawer
      title={texts.receipt}
      onClose={onClose}
      bar={
        <>
          <Id value={id} copy boxed />
          {onNext !== undefined && (
            <button type="button" className="btn icon" aria-label={texts.next} onClick={onNext}>
              <Icon name="down" />
            </button>
          )}
        </>
      }
      footer={
        receipt !== undefined && (
          <>
            <span className="btn">
              <CopyButton text={curlSample(receipt.model)} label={texts.asCurl} />
              <bdi dir="ltr">{texts.asCurl}</bdi>
            </span>
            {mayWrite && (
              <>
                <button
                  type="button"
                  className="btn"
                  onClick={() => navigate(`/console/playground?model=${encodeURIComponent(receipt.model)}`)}
                >
                  <Icon name="flask" />
                  {texts.replay}
                </button>
                <button type="button" className="btn plain" onClick={() => navigate(`/console/tickets?request=${id}`)}>
                  {texts.ask}
                </button>
              </>
            )}
          </>
        )
      }
    >
      {read.error !== null && read.data === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : receipt === undefined ? (
        <section>
          <Skeleton shape="facts" />
        </section>
      ) : (
        <>
          <Head receipt={receipt} />
          {receipt.attempts.length > 0 && <Waterfall receipt={receipt} />}
          <Formula receipt={receipt} />
          <Settlement receipt={receipt} />
          <ReceiptGuarantee receipt={receipt} />
          <ReceiptRouting routing={receipt.routing} />
          <FromKnowledge receipt={receipt} />
          <Facts receipt={receipt} keyName={keyName(receipt.key_id)} />
          {mayWrite && receipt.texts_kept && <Texts id={id} />}
        </>
      )}
    </Drawer>
  );
}

function Head({ receipt }: { receipt: Receipt }) {
  const texts = useTexts();
  const format = useFormat();
  const { tone, word } = useStateOf()(receipt);
  const { advice } = useRequestTexts();
  // An attempt whose answer was invalid, or was continued by another, counts as answered.
  const failed = receipt.attempts.filter(
    ({ outcome }, at) =>
      !['ok', 'completed', 'broken-answer'].includes(outcome) && receipt.attempts[at + 1]?.continues !== true,
  ).length;
  const answered =
    receipt.state === 'completed' || receipt.state === 'interrupted' || receipt.state === 'client_closed';
  const sentence = answered
    ? texts.sentence(
        `\u2066${receipt.model}\u2069`,
        format.seconds(receipt.duration_ms),
        format.number(receipt.output_tokens ?? 0),
      )
    : receipt.state === 'running'
      ? texts.sentenceRunning
      : receipt.state === 'refused'
        ? texts.sentenceRefused
        : texts.sentenceFailed;
  return (
    <section>
      <ReceiptHead tone={tone} word={word} at={receipt.created_at} cost={receipt.cost} />
      <p className="mid text">
        {sentence} {answered && failed > 0 && texts.retried(failed, format.number(failed))}{' '}
        {receipt.error !== null && labelOf(advice, receipt.error.code)}
      </p>
      {receipt.error !== null && (
        <p>
          <Id value={receipt.error.code} boxed /> <Remedy code={receipt.error.code} keyId={receipt.key_id} />
        </p>
      )}
    </section>
  );
}

/** Links to the page where the refusal can be remedied; pages outside the console are loaded whole. */
function Remedy({ code, keyId }: { code: string; keyId: string }) {
  const { remedies } = useTexts();
  const path = remedyPath(code, keyId);
  if (path === undefined) return null;
  if (path.startsWith('/console/wallet')) return <Link href={path}>{remedies.wallet}</Link>;
  if (path.startsWith('/console/')) return <Link href={path}>{remedies.rules}</Link>;
  return <a href={path}>{path === '/status' ? remedies.status : remedies.models}</a>;
}

/** The documents that the answer could use. Receipts of older requests only know how many. */
function FromKnowledge({ receipt: { retrieved_tokens: tokens, passages } }: { receipt: Receipt }) {
  const texts = useTexts();
  const format = useFormat();
  if (tokens === 0) return null;
  return (
    <section>
      <h3>{texts.knowledge}</h3>
      <p className="mid">{texts.retrieved(format.number(tokens))}</p>
      <PassageList passages={passages} addressOf={passageAddress} />
    </section>
  );
}

function Facts({ receipt, keyName }: { receipt: Receipt; keyName: string }) {
  const texts = useTexts();
  const format = useFormat();
  const { version } = receipt.price;
  return (
    <section>
      <dl className="facts">
        <dt>{texts.key}</dt>
        <dd>
          <Link href={`/console/keys/${encodeURIComponent(receipt.key_id)}`}>
            <bdi>{keyName}</bdi>
          </Link>
        </dd>
        <dt>{texts.model}</dt>
        <dd>
          <a href={`/models/${receipt.model}`}>
            <Id value={receipt.model} />
          </a>
        </dd>
        {version !== '' && (
          <>
            <dt>{texts.priceVersion}</dt>
            <dd>
              <Id value={version} />
            </dd>
          </>
        )}
        {receipt.response_cache !== null && (
          <>
            <dt>{texts.responseCache}</dt>
            <dd>{labelOf(texts.cacheSays, receipt.response_cache) ?? receipt.response_cache}</dd>
          </>
        )}
        {micros(receipt.cache_saved) !== 0n && (
          <>
            <dt>{micros(receipt.cache_saved) < 0n ? texts.cacheCost : texts.cacheSaved}</dt>
            <dd>
              <Amount value={receipt.cache_saved.replace('-', '')} unit />
            </dd>
          </>
        )}
        {receipt.usage_source !== null && (
          <>
            <dt>{texts.counted}</dt>
            <dd>{receipt.usage_source === 'upstream' ? texts.countedUpstream : texts.countedEstimated}</dd>
          </>
        )}
        <dt>{texts.endpoint}</dt>
        <dd>
          <Id value={receipt.endpoint} />
        </dd>
        {receipt.user !== null && (
          <>
            <dt>{texts.user}</dt>
            <dd>
              <Id value={receipt.user} />
            </dd>
          </>
        )}
        {receipt.batch !== null && (
          <>
            <dt>{texts.batch}</dt>
            <dd className="row">
              <Link href={`/console/batches/${encodeURIComponent(receipt.batch)}`}>
                <bdi dir="ltr">{receipt.batch}</bdi>
              </Link>
              {receipt.price_percent !== null && texts.batchPrice(format.percent(receipt.price_percent / 100))}
            </dd>
          </>
        )}
        {receipt.tags.length > 0 && (
          <>
            <dt>{texts.tags}</dt>
            <dd className="row">
              {receipt.tags.map((tag) => (
                <Link key={tag} href={`/console/requests?tag=${encodeURIComponent(tag)}`}>
                  <bdi>{tag}</bdi>
                </Link>
              ))}
            </dd>
          </>
        )}
        {receipt.warnings.length > 0 && (
          <>
            <dt>{texts.warnings}</dt>
            <dd dir="auto">{receipt.warnings.join(' · ')}</dd>
          </>
        )}
        {!receipt.texts_kept && (
          <>
            <dt>{texts.texts}</dt>
            <dd>{texts.textsOff}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** Loaded only when someone opens it. */
function Texts({ id }: { id: string }) {
  const common = useTexts();
  const read = useChange<typeof getRequestTexts>('GET /api/console/requests/:id/texts');
  const texts = read.data;
  return (
    <section>
      <h3>{common.texts}</h3>
      {texts === undefined ? (
        <button type="button" className="btn" disabled={read.isPending} onClick={() => read.mutate({ params: { id } })}>
          <Icon name="eye" />
          {common.textsShow}
        </button>
      ) : (
        <div className="stack gap-m">
          <div className="stack gap-s">
            <span className="xs dim">{common.prompt}</span>
            <Code text={JSON.stringify(texts.request, null, 2)} />
          </div>
          <div className="stack gap-s">
            <span className="xs dim">{common.answer}</span>
            <p dir="auto" className="text">
              {texts.answer ?? '—'}
            </p>
          </div>
          <p className="xs dim">
            {common.textsUntil} <Moment at={texts.expires_at} exact />
          </p>
        </div>
      )}
    </section>
  );
}
