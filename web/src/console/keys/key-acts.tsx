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
import { useShared } from '../../texts/shared.ts';
import type { Key } from './own-key.ts';
import { Secret } from './secret.tsx';
import { useTexts } from './texts.ts';

export const STALE = ['GET /api/console/keys', 'GET /api/console/keys/:id/spend', 'GET /api/console/playground'];

export function Overlap({ value }: { value: Key }) {
  const texts = useTexts();
  const end = useChange<typeof endOverlap>('POST /api/console/keys/:id/end-overlap', { stale: STALE });
  if (value.overlap === null) return null;
  return (
    <div className="panel spaced">
      <Note tone="info">
        {texts.overlap(`\u2066…${value.overlap.last4}\u2069`)} <Moment at={value.overlap.until} exact />.{' '}
        <button
          type="button"
          className="link"
          disabled={end.isPending}
          onClick={() => end.mutate({ params: { id: value.id } })}
        >
          {texts.endOverlap}
        </button>
      </Note>
    </div>
  );
}

export function Actions({ value }: { value: Key }) {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const [asking, setAsking] = useState<'rotate' | 'revoke'>();
  const input = { params: { id: value.id } };
  const resume = useChange<typeof resumeKey>('POST /api/console/keys/:id/resume', {
    stale: STALE,
    done: () => toast({ text: texts.wasResumed(value.name) }),
  });
  const pause = useChange<typeof pauseKey>('POST /api/console/keys/:id/pause', {
    stale: STALE,
    done: () =>
      toast({ text: texts.wasPaused(value.name), action: { name: shared.undo, run: () => resume.mutate(input) } }),
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
        {paused ? texts.resume : texts.pause}
      </button>
      {!value.playground && (
        <button type="button" className="btn" onClick={() => setAsking('rotate')}>
          <Icon name="again" />
          {texts.rotate}
        </button>
      )}
      {!value.playground && (
        <button type="button" className="btn danger" onClick={() => setAsking('revoke')}>
          {texts.revoke}
        </button>
      )}
      {asking === 'rotate' && <Rotate value={value} onClose={() => setAsking(undefined)} />}
      {asking === 'revoke' && <Revoke value={value} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

function Rotate({ value, onClose }: { value: Key; onClose(): void }) {
  const texts = useTexts();
  const [hours, setHours] = useState<string | null>('24');
  const rotate = useChange<typeof rotateKey>('POST /api/console/keys/:id/rotate');
  const client = useQueryClient();
  if (rotate.data !== undefined) {
    return (
      <Secret
        text={rotate.data.key}
        keyId={value.id}
        onClose={() => {
          // The list is read again only now, because reading it earlier would replace this page and the key text that
          // is shown once.
          forget(client, STALE);
          onClose();
        }}
      />
    );
  }
  return (
    <Dialog
      title={texts.rotateAsk.title(value.name)}
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={rotate.isPending}
          onAct={() =>
            rotate.mutate({ params: { id: value.id }, body: { overlap_hours: Math.round(Number(hours ?? '0')) } })
          }
        >
          {texts.rotateAsk.act}
        </DialogActs>
      }
    >
      <p>{texts.rotateAsk.text}</p>
      <NumberField
        label={texts.rotateAsk.hours}
        hint={texts.rotateAsk.zero}
        value={hours}
        onChange={setHours}
        unit={texts.rotateAsk.unit}
      />
    </Dialog>
  );
}

function Revoke({ value, onClose }: { value: Key; onClose(): void }) {
  const texts = useTexts();
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
      toast({ text: texts.revokeAsk.done(value.name) });
    },
  });
  return (
    <Confirm
      title={texts.revokeAsk.title(value.name)}
      act={texts.revokeAsk.act}
      keep={texts.revokeAsk.keep}
      typed={value.name}
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ params: { id: value.id } })}
      onClose={onClose}
    >
      <p>{texts.revokeAsk.text}</p>
      <ul className="what">
        {used !== undefined && <li>{used > 0 ? texts.revokeAsk.used(format.number(used)) : texts.revokeAsk.unused}</li>}
        <li>{texts.revokeAsk.running}</li>
      </ul>
      <p>{texts.revokeAsk.gentler}</p>
      <p>
        <Id value={`dg-…${value.last4}`} boxed />
      </p>
    </Confirm>
  );
}
