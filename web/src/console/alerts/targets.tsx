/** Webhook targets with their once-shown secret, and the log of what was sent. */
import { useState } from 'react';
import type {
  addAlertTarget,
  deleteAlertTarget,
  enableAlertTarget,
  listAlertTargets,
  listDeliveries,
  replayDelivery,
} from '../../../../server/src/http/console/routes/alerts.ts';
import { errorAt, useChange, usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { CopyButton, Id } from '../../parts/copyable.tsx';
import { AskingButton, Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMayWrite } from '../../session.tsx';
import { useTexts } from './texts.ts';

const STALE = ['GET /api/console/alerts/targets'];

export function Targets() {
  const texts = useTexts();
  const mayWrite = useMayWrite();
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState<string>();
  const read = useRead<typeof listAlertTargets>('GET /api/console/alerts/targets', {});
  const add = useChange<typeof addAlertTarget>('POST /api/console/alerts/targets', {
    quiet: true,
    stale: STALE,
    done(target) {
      setUrl('');
      setSecret(target.secret);
    },
  });
  const enable = useChange<typeof enableAlertTarget>('POST /api/console/alerts/targets/:id/enable', { stale: STALE });
  const remove = useChange<typeof deleteAlertTarget>('DELETE /api/console/alerts/targets/:id', { stale: STALE });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <section className="panel" aria-label={texts.tabs['targets']}>
      {mayWrite && (
        <Form className="pad row ends" label={texts.add} onSubmit={() => add.mutate({ body: { url: url.trim() } })}>
          <div className="grow">
            <TextField
              label={texts.url}
              value={url}
              onChange={setUrl}
              dir="ltr"
              placeholder="https://"
              error={errorAt(add.error, 'url') ?? add.error?.message}
            />
          </div>
          <button type="submit" className="btn" disabled={url.trim() === '' || add.isPending}>
            {texts.add}
          </button>
        </Form>
      )}
      <Table
        label={texts.tabs['targets'] ?? ''}
        rows={read.data?.data}
        idOf={({ id }) => id}
        skeleton={1}
        empty={<Empty title={texts.noTargets} text={texts.noTargetsText} />}
        columns={[
          { id: 'url', head: texts.url, fold: 'c1', cell: ({ url: address }) => <Id value={address} /> },
          {
            id: 'state',
            head: texts.state,
            fold: 'c3',
            cell: ({ enabled, problem }) => (
              <Pill tone={enabled ? 'ok' : 'warn'}>{enabled ? texts.active : (problem ?? texts.disabled)}</Pill>
            ),
          },
          {
            id: 'actions',
            head: '',
            fold: 'c2',
            cell: ({ id, url: address, enabled }) =>
              mayWrite && (
                <span className="row">
                  {!enabled && (
                    <button type="button" className="btn small" onClick={() => enable.mutate({ params: { id } })}>
                      {texts.enable}
                    </button>
                  )}
                  <AskingButton
                    title={texts.removeTargetTitle(address)}
                    text={texts.removeTargetText}
                    onConfirm={() => remove.mutate({ params: { id } })}
                  >
                    {texts.remove}
                  </AskingButton>
                </span>
              ),
          },
        ]}
      />
      {secret !== undefined && (
        <Dialog
          title={texts.secretTitle}
          closable={false}
          onClose={() => setSecret(undefined)}
          footer={
            <button type="button" className="btn main" onClick={() => setSecret(undefined)}>
              {texts.done}
            </button>
          }
        >
          <p>{texts.secretText}</p>
          <div className="secret">
            <span>{secret}</span>
            <CopyButton text={secret} />
          </div>
        </Dialog>
      )}
    </section>
  );
}

const TONES: Record<string, Tone> = { waiting: 'info', sent: 'ok', failed: 'bad', suppressed: 'off' };

export function Sent() {
  const texts = useTexts();
  const format = useFormat();
  const mayWrite = useMayWrite();
  const list = usePages<typeof listDeliveries>('GET /api/console/alerts/deliveries', { query: { limit: 50 } });
  const replay = useChange<typeof replayDelivery>('POST /api/console/alerts/deliveries/:id/replay', {
    stale: ['GET /api/console/alerts/deliveries'],
  });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={texts.tabs['sent']}>
      <Table
        label={texts.tabs['sent'] ?? ''}
        dense
        rows={list.rows}
        idOf={({ id }) => id}
        empty={<Empty title={texts.noSent} text={texts.noSentText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          {
            id: 'time',
            head: texts.time,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ created_at: at }) => <Moment at={at} />,
          },
          { id: 'event', head: texts.event, fold: 'c1', cell: ({ event }) => texts.events[event] },
          { id: 'channel', head: texts.channel, cell: ({ channel }) => texts.channels[channel] },
          { id: 'to', head: texts.to, cell: ({ to }) => <Id value={to} /> },
          {
            id: 'state',
            head: texts.state,
            fold: 'c4',
            cell: ({ state, last_problem: problem, last_status: status }) => (
              <span title={problem ?? undefined}>
                <Pill tone={TONES[state] ?? 'info'}>
                  {texts.states[state]} {status !== null && state === 'failed' && <bdi dir="ltr">{status}</bdi>}
                </Pill>
              </span>
            ),
          },
          { id: 'tries', head: texts.tries, number: true, cell: ({ tries }) => format.number(tries) },
          {
            id: 'replay',
            head: '',
            fold: 'c2',
            cell: ({ id, channel }) =>
              channel === 'webhook' &&
              mayWrite && (
                <button type="button" className="btn small" onClick={() => replay.mutate({ params: { id } })}>
                  {texts.replay}
                </button>
              ),
          },
        ]}
      />
    </section>
  );
}
