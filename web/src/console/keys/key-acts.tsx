/** What can be done to a key: rotated with an overlap, paused, revoked. */

import type { endOverlap, pauseKey, resumeKey, revokeKey, rotateKey } from '@dargah/api/console/keys.ts';
import type { getUsageSeries } from '@dargah/api/console/usage.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { forget, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Confirm, Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { NumberField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../words/shared.ts';
import type { Key } from './own-key.ts';
import { Secret } from './secret.tsx';
import { useWords } from './words.ts';

export const STALE = ['GET /api/console/keys', 'GET /api/console/keys/:id/spend', 'GET /api/console/playground'];

export function Overlap({ value }: { value: Key }) {
  const words = useWords();
  const end = useChange<typeof endOverlap>('POST /api/console/keys/:id/end-overlap', { stale: STALE });
  if (value.overlap === null) return null;
  return (
    <div className="panel spaced">
      <Note tone="info">
        {words.overlap(`\u2066…${value.overlap.last4}\u2069`)} <Moment at={value.overlap.until} exact />.{' '}
        <button
          type="button"
          className="link"
          disabled={end.isPending}
          onClick={() => end.mutate({ params: { id: value.id } })}
        >
          {words.endOverlap}
        </button>
      </Note>
    </div>
  );
}

export function Actions({ value }: { value: Key }) {
  const words = useWords();
  const shared = useShared();
  const toast = useToast();
  const [asking, setAsking] = useState<'rotate' | 'revoke'>();
  const input = { params: { id: value.id } };
  const resume = useChange<typeof resumeKey>('POST /api/console/keys/:id/resume', {
    stale: STALE,
    done: () => toast({ text: words.wasResumed(value.name) }),
  });
  const pause = useChange<typeof pauseKey>('POST /api/console/keys/:id/pause', {
    stale: STALE,
    done: () =>
      toast({ text: words.wasPaused(value.name), action: { name: shared.undo, run: () => resume.mutate(input) } }),
  });
  const paused = value.rules.paused === true;
  return (
    <div className="row acts">
      <button
        type="button"
        className="btn"
        disabled={pause.isPending || resume.isPending}
        onClick={() => (paused ? resume : pause).mutate(input)}
      >
        <Icon name={paused ? 'play' : 'pause'} />
        {paused ? words.resume : words.pause}
      </button>
      {!value.playground && (
        <button type="button" className="btn" onClick={() => setAsking('rotate')}>
          <Icon name="again" />
          {words.rotate}
        </button>
      )}
      {!value.playground && (
        <button type="button" className="btn danger" onClick={() => setAsking('revoke')}>
          {words.revoke}
        </button>
      )}
      {asking === 'rotate' && <Rotate value={value} onClose={() => setAsking(undefined)} />}
      {asking === 'revoke' && <Revoke value={value} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

function Rotate({ value, onClose }: { value: Key; onClose(): void }) {
  const words = useWords();
  const [hours, setHours] = useState<string | null>('24');
  const rotate = useChange<typeof rotateKey>('POST /api/console/keys/:id/rotate');
  const client = useQueryClient();
  if (rotate.data !== undefined) {
    return (
      <Secret
        text={rotate.data.key}
        keyId={value.id}
        onClose={() => {
          // Read again only now: the list would replace this page, and with it the text that is shown once.
          forget(client, STALE);
          onClose();
        }}
      />
    );
  }
  return (
    <Dialog
      title={words.rotateAsk.title(value.name)}
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={rotate.isPending}
          onAct={() =>
            rotate.mutate({ params: { id: value.id }, body: { overlap_hours: Math.round(Number(hours ?? '0')) } })
          }
        >
          {words.rotateAsk.act}
        </DialogActs>
      }
    >
      <p>{words.rotateAsk.text}</p>
      <NumberField
        label={words.rotateAsk.hours}
        hint={words.rotateAsk.zero}
        value={hours}
        onChange={setHours}
        unit={words.rotateAsk.unit}
      />
    </Dialog>
  );
}

function Revoke({ value, onClose }: { value: Key; onClose(): void }) {
  const words = useWords();
  const format = useFormat();
  const toast = useToast();
  const since = useMemo(() => new Date(Date.now() - 86_400_000).toISOString(), []);
  const used = useRead<typeof getUsageSeries>('GET /api/console/usage/series', {
    query: { key_id: value.id, from: since, interval: 'hour' },
  }).data?.total.requests;
  const revoke = useChange<typeof revokeKey>('POST /api/console/keys/:id/revoke', {
    stale: STALE,
    done() {
      onClose();
      toast({ text: words.revokeAsk.done(value.name) });
    },
  });
  return (
    <Confirm
      title={words.revokeAsk.title(value.name)}
      act={words.revokeAsk.act}
      keep={words.revokeAsk.keep}
      typed={value.name}
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ params: { id: value.id } })}
      onClose={onClose}
    >
      <p>{words.revokeAsk.text}</p>
      <ul className="what">
        {used !== undefined && <li>{used > 0 ? words.revokeAsk.used(format.number(used)) : words.revokeAsk.unused}</li>}
        <li>{words.revokeAsk.running}</li>
      </ul>
      <p>{words.revokeAsk.gentler}</p>
      <p>
        <Id value={`dg-…${value.last4}`} boxed />
      </p>
    </Confirm>
  );
}
