/** Ways of signing in, the second factor, and the devices that are signed in. */
import { useState } from 'react';
import type {
  addPasskey,
  addSignInMethod,
  beginPasskey,
  beginTotp,
  confirmTotp,
  endOtherSessions,
  endSession,
  listPasskeys,
  listSessions,
  listSignInMethods,
  removePasskey,
  removeSignInMethod,
  removeTotp,
  sendMethodCode,
  setPassword,
} from '../../../../server/src/http/console/routes/me.ts';
import { call } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { plainNumber } from '../../format.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Qr } from '../../parts/qr.tsx';
import { Code, Id, Moment, Panel } from '../../parts/small.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useMe } from '../../session.tsx';
import { useShared } from '../../words/shared.ts';
import { useWords } from './words.ts';

const ME = 'GET /api/console/me';

export function Security() {
  return (
    <div className="stack">
      <Sessions />
      <Methods />
      <div className="columns two">
        <Password />
        <SecondFactor />
      </div>
      <Passkeys />
    </div>
  );
}

function Sessions() {
  const words = useWords();
  const list = useRead<typeof listSessions>('GET /api/console/me/sessions', {}).data?.data;
  const stale = ['GET /api/console/me/sessions'];
  const end = useChange<typeof endSession>('DELETE /api/console/me/sessions/:id', { stale });
  const others = useChange<typeof endOtherSessions>('POST /api/console/me/sessions/end-others', { stale });
  return (
    <Panel
      title={words.sessions}
      aside={
        <button
          type="button"
          className="btn small"
          disabled={others.isPending || (list?.length ?? 0) < 2}
          onClick={() => others.mutate({})}
        >
          {words.endOthers}
        </button>
      }
    >
      <Table
        label={words.sessions}
        rows={list}
        idOf={({ id }) => id}
        skeleton={2}
        columns={[
          {
            id: 'device',
            head: words.device,
            fold: 'c1',
            cell: ({ agent, current }) => (
              <>
                <bdi>{deviceOf(agent)}</bdi> {current && <span className="tag">{words.thisOne}</span>}
              </>
            ),
          },
          {
            id: 'address',
            head: words.from,
            fold: 'c3',
            cell: ({ address }) => address !== null && <Id value={address} />,
          },
          { id: 'seen', head: words.seen, fold: 'c4', className: 'mid', cell: ({ seen_at: at }) => <Moment at={at} /> },
          {
            id: 'end',
            head: '',
            fold: 'c2',
            cell: ({ id, current }) =>
              !current && (
                <button type="button" className="btn small" onClick={() => end.mutate({ params: { id } })}>
                  {words.end}
                </button>
              ),
          },
        ]}
      />
    </Panel>
  );
}

/** "Chrome, Linux" from what a browser says of itself. */
function deviceOf(agent: string | null): string {
  if (agent === null) return '—';
  const browser = /(Edg|OPR|Firefox|Chrome|Safari|curl|python|node)/.exec(agent)?.[1] ?? agent.slice(0, 24);
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  return [browser.replace('Edg', 'Edge').replace('OPR', 'Opera'), system].filter(Boolean).join(', ');
}

function Methods() {
  const words = useWords();
  const [to, setTo] = useState('');
  const [code, setCode] = useState('');
  const stale = ['GET /api/console/me/methods'];
  const list = useRead<typeof listSignInMethods>('GET /api/console/me/methods', {}).data?.data;
  const send = useChange<typeof sendMethodCode>('POST /api/console/me/methods/codes', { quiet: true });
  const add = useChange<typeof addSignInMethod>('POST /api/console/me/methods', {
    quiet: true,
    stale,
    done() {
      setTo('');
      setCode('');
      send.reset();
    },
  });
  const remove = useChange<typeof removeSignInMethod>('DELETE /api/console/me/methods/:id', { stale });
  return (
    <Panel title={words.methods}>
      <Table
        label={words.methods}
        rows={list}
        idOf={({ id }) => id}
        skeleton={1}
        columns={[
          { id: 'value', head: words.contact, fold: 'c1', cell: ({ value }) => <Id value={value} /> },
          {
            id: 'remove',
            head: '',
            fold: 'c2',
            cell: ({ id }) =>
              (list?.length ?? 0) > 1 && (
                <button type="button" className="btn small" onClick={() => remove.mutate({ params: { id } })}>
                  {words.remove}
                </button>
              ),
          },
        ]}
      />
      <Form
        className="pad stack m under narrow-form"
        label={words.addMethod}
        onSubmit={() =>
          send.isSuccess
            ? add.mutate({ body: { to: to.trim(), code: plainNumber(code) } })
            : send.mutate({ body: { to: to.trim() } })
        }
      >
        <TextField
          label={words.contact}
          value={to}
          onChange={setTo}
          dir="ltr"
          disabled={send.isSuccess}
          error={send.error?.message}
        />
        {send.isSuccess && (
          <TextField
            label={words.code}
            value={code}
            onChange={setCode}
            dir="ltr"
            inputMode="numeric"
            autoComplete="one-time-code"
            error={add.error?.message}
          />
        )}
        <div className="row">
          <button type="submit" className="btn" disabled={to.trim() === '' || send.isPending || add.isPending}>
            {send.isSuccess ? words.addMethod : words.sendCode}
          </button>
        </div>
      </Form>
    </Panel>
  );
}

function Password() {
  const words = useWords();
  const toast = useToast();
  const me = useMe();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const save = useChange<typeof setPassword>('PUT /api/console/me/password', {
    quiet: true,
    stale: [ME, 'GET /api/console/me/sessions'],
    done() {
      setCurrent('');
      setNext('');
      toast({ text: words.passwordDone });
    },
  });
  return (
    <Panel title={words.password}>
      <Form
        className="pad stack m"
        label={words.password}
        onSubmit={() => save.mutate({ body: { password: next, ...(me.has_password ? { current } : {}) } })}
      >
        <p className="mid">{me.has_password ? words.passwordSet : words.passwordNone}</p>
        {me.has_password && (
          <TextField
            label={words.current}
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            dir="ltr"
            error={errorAt(save.error, 'current')}
          />
        )}
        <TextField
          label={words.next}
          hint={words.nextHint}
          type="password"
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          dir="ltr"
          error={save.error?.message}
        />
        <div className="row">
          <button type="submit" className="btn" disabled={next.length < 10 || save.isPending}>
            {words.setPassword}
          </button>
        </div>
      </Form>
    </Panel>
  );
}

function SecondFactor() {
  const words = useWords();
  const me = useMe();
  const [code, setCode] = useState('');
  const begin = useChange<typeof beginTotp>('POST /api/console/me/second-factor');
  const confirm = useChange<typeof confirmTotp>('POST /api/console/me/second-factor/confirm', { quiet: true });
  const again = useChange<typeof removeTotp>('POST /api/console/me/second-factor/remove', {
    quiet: true,
    stale: [ME],
    done: () => setCode(''),
  });
  const codes = confirm.data?.recovery_codes;
  const input = (
    <TextField
      label={words.code}
      value={code}
      onChange={setCode}
      dir="ltr"
      inputMode="numeric"
      autoComplete="one-time-code"
      error={confirm.error?.message ?? again.error?.message}
    />
  );
  return (
    <Panel title={words.second}>
      <div className="pad stack m">
        <p className="mid">{me.second_factor ? words.secondOn : words.secondOff}</p>
        {me.second_factor ? (
          <Form onSubmit={() => again.mutate({ body: { code: plainNumber(code) } })}>
            {input}
            <div className="row">
              <button type="submit" className="btn" disabled={code.length < 6 || again.isPending}>
                {words.secondRemove}
              </button>
            </div>
          </Form>
        ) : begin.data === undefined ? (
          <div className="row">
            <button type="button" className="btn" disabled={begin.isPending} onClick={() => begin.mutate({})}>
              {words.secondSetup}
            </button>
          </div>
        ) : (
          <Form onSubmit={() => confirm.mutate({ body: { code: plainNumber(code) } })}>
            <p>{words.secondScan}</p>
            <Qr text={begin.data.uri} label={words.secondScan} />
            <Id value={begin.data.secret} copy boxed />
            {input}
            <div className="row">
              <button type="submit" className="btn main" disabled={code.length < 6 || confirm.isPending}>
                {words.secondConfirm}
              </button>
            </div>
          </Form>
        )}
      </div>
      {codes !== undefined && (
        <Dialog
          title={words.recovery}
          closable={false}
          onClose={() => undefined}
          footer={
            <button
              type="button"
              className="btn main"
              onClick={() => {
                confirm.reset();
                begin.reset();
                setCode('');
                location.reload();
              }}
            >
              {words.done}
            </button>
          }
        >
          <p>{words.recoveryText}</p>
          <Code text={codes.join('\n')} />
        </Dialog>
      )}
    </Panel>
  );
}

function Passkeys() {
  const words = useWords();
  const shared = useShared();
  const toast = useToast();
  const [name, setName] = useState('');
  const list = useRead<typeof listPasskeys>('GET /api/console/me/passkeys', {});
  const remove = useChange<typeof removePasskey>('DELETE /api/console/me/passkeys/:id', {
    stale: ['GET /api/console/me/passkeys', ME],
  });
  const add = async () => {
    const { startRegistration } = await import('@simplewebauthn/browser');
    try {
      const { ticket, options } = await call<typeof beginPasskey>('POST /api/console/me/passkeys/options', {});
      const response = await startRegistration({ optionsJSON: options as never });
      await call<typeof addPasskey>('POST /api/console/me/passkeys', { body: { ticket, name: name.trim(), response } });
      setName('');
      await list.refetch();
      toast({ text: shared.saved });
    } catch {
      toast({ tone: 'bad', text: words.passkeyStopped });
    }
  };
  return (
    <Panel title={words.passkeys}>
      <p className="pad mid">{words.passkeysText}</p>
      {(list.data?.data.length ?? 0) > 0 && (
        <Table
          label={words.passkeys}
          rows={list.data?.data}
          idOf={({ id }) => id}
          columns={[
            { id: 'name', head: words.passkeyName, fold: 'c1', cell: ({ name: of }) => <bdi>{of}</bdi> },
            {
              id: 'used',
              head: words.used,
              fold: 'c3',
              className: 'mid',
              cell: ({ used_at: at }) => (at === null ? words.never : <Moment at={at} />),
            },
            {
              id: 'remove',
              head: '',
              fold: 'c2',
              cell: ({ id }) => (
                <button type="button" className="btn small" onClick={() => remove.mutate({ params: { id } })}>
                  {words.remove}
                </button>
              ),
            },
          ]}
        />
      )}
      <Form className="pad stack m under narrow-form" label={words.addPasskey} onSubmit={() => void add()}>
        <TextField label={words.passkeyName} value={name} onChange={setName} dir="auto" />
        <div className="row">
          <button type="submit" className="btn" disabled={name.trim() === ''}>
            <Icon name="lock" />
            {words.addPasskey}
          </button>
        </div>
      </Form>
    </Panel>
  );
}
