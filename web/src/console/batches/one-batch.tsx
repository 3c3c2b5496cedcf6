/** One batch: its progress, its cost, its files, and the button that stops it. */

import type { cancelOwnBatch, getOwnBatch } from '@dargah/api/console/batches.ts';
import type { listKeys } from '@dargah/api/console/keys.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { type Fact, FactList } from '../../parts/fact-list.tsx';
import { Amount, Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMayWrite, useOwnAccount } from '../../session.tsx';
import { useShownKeyName } from '../key-name.ts';
import { BatchState, type OwnBatchRow, Progress } from './progress.tsx';
import { useTexts } from './texts.ts';

const STALE = ['GET /api/console/batches', 'GET /api/console/batches/:id'];

export function OneBatch({ id }: { id: string }) {
  const read = useRead<typeof getOwnBatch>('GET /api/console/batches/:id', { params: { id } });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return read.data === undefined ? <Skeleton shape="page" /> : <Shown batch={read.data} />;
}

function Shown({ batch }: { batch: OwnBatchRow }) {
  const texts = useTexts();
  const { run, order } = useFacts(batch);
  return (
    <Panel title={<Id value={batch.id} copy />} label={batch.id} aside={<Acts batch={batch} />}>
      {batch.errors.length > 0 && (
        <div className="pad">
          <h3>{texts.refused}</h3>
          <Faults errors={batch.errors} />
        </div>
      )}
      <div className={batch.errors.length > 0 ? 'cut pair-cut under' : 'cut pair-cut'}>
        <div className="pad">
          <FactList facts={run} />
        </div>
        <div className="pad">
          <FactList facts={order} />
        </div>
      </div>
    </Panel>
  );
}

function Faults({ errors }: { errors: OwnBatchRow['errors'] }) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <ul>
      {errors.map(({ code, line, message }) => (
        <li key={`${line} ${code}`}>
          {line !== null && <span className="strong">{texts.line(format.number(line))}: </span>}
          <bdi>{message[format.language]}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** The result and the times; for a refused file nothing was run. */
function useFacts(batch: OwnBatchRow): { run: Fact[]; order: Fact[] } {
  const texts = useTexts();
  const format = useFormat();
  const shownName = useShownKeyName();
  const number = (value: number) => format.number(value);
  const keys = useRead<typeof listKeys>('GET /api/console/keys', { query: {} }).data?.data;
  const key = keys?.find(({ id }) => id === batch.key_id);
  const keyName = key === undefined ? undefined : <bdi>{shownName(key)}</bdi>;
  const isRefused = batch.state === 'failed';
  const run: Fact[] = [[texts.state, <BatchState key="state" batch={batch} />]];
  if (!isRefused)
    run.push(
      [texts.progress, <Progress key="progress" batch={batch} />],
      [texts.succeeded, number(batch.succeeded)],
      [texts.errored, number(batch.failed)],
    );
  if (batch.cancelled > 0) run.push([texts.cancelledLines, number(batch.cancelled)]);
  if (batch.expired > 0) run.push([texts.expiredLines, number(batch.expired)]);
  run.push([texts.cost, <Amount key="cost" value={batch.cost} unit />]);
  if (!isRefused)
    run.push(
      [texts.price, texts.percent(format.percent(batch.price_percent / 100))],
      [texts.tokens, texts.tokensOf(number(batch.input_tokens), number(batch.output_tokens))],
    );
  const order: Fact[] = [[texts.endpoint, <Id key="endpoint" value={batch.endpoint} />]];
  if (!isRefused)
    order.push([texts.model, batch.model === null ? texts.several : <Id key="model" value={batch.model} />]);
  order.push(
    [
      texts.key,
      <Link key="key" href={`/console/requests?key_id=${encodeURIComponent(batch.key_id)}`}>
        {keyName ?? texts.requests}
      </Link>,
    ],
    [texts.created, <Moment key="created" at={batch.created_at} />],
  );
  if (batch.started_at !== null) order.push([texts.started, <Moment key="started" at={batch.started_at} />]);
  if (batch.ended_at === null) order.push([texts.window, <Moment key="window" at={batch.expires_at} />]);
  else order.push([texts.ended, <Moment key="ended" at={batch.ended_at} />]);
  if (batch.delete_at !== null) order.push([texts.deleted, <Moment key="deleted" at={batch.delete_at} />]);
  return { run, order };
}

function Acts({ batch: { id, downloads, state } }: { batch: OwnBatchRow }) {
  const texts = useTexts();
  const mayWrite = useMayWrite();
  const account = useOwnAccount()?.id ?? '';
  const [asking, setAsking] = useState(false);
  const cancel = useChange<typeof cancelOwnBatch>('POST /api/console/batches/:id/cancel', {
    stale: STALE,
    done: () => setAsking(false),
  });
  return (
    <span className="row">
      {downloads.map((file) => (
        <a
          key={file}
          className="btn small"
          download
          href={`/api/console/batches/${encodeURIComponent(id)}/files/${file}?account=${encodeURIComponent(account)}`}
        >
          <Icon name="save" />
          {texts.files[file]}
        </a>
      ))}
      {mayWrite && (state === 'validating' || state === 'in_progress') && (
        <button type="button" className="btn small danger" onClick={() => setAsking(true)}>
          {texts.cancel}
        </button>
      )}
      {asking && (
        <Confirm
          title={texts.cancelAsk}
          act={texts.cancel}
          busy={cancel.isPending}
          onConfirm={() => cancel.mutate({ params: { id } })}
          onClose={() => setAsking(false)}
        >
          <p>{texts.cancelText}</p>
        </Confirm>
      )}
    </span>
  );
}
