/** Operator tokens: which programs may work on the operator API, what each may do and until when. */

import type {
  createOperatorToken,
  listOperatorTokens,
  revokeOperatorToken,
} from '@dargah/api/admin/operator-tokens.ts';
import { OPERATOR_SCOPES, type OperatorScope } from '@dargah/core/operator-scopes.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { CopyButton, Id } from '../../parts/copyable.tsx';
import { AskingButton, Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Check, Form, SelectField, TextField } from '../../parts/form.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useStaffMay } from '../may.ts';
import { TokenLimits } from './limits.tsx';
import { useTokenTexts } from './texts.ts';

type Token = Result<typeof listOperatorTokens>['data'][number];
const STALE = ['GET /api/admin/operator-tokens'];
const TONES: Record<Token['state'], Tone> = { live: 'ok', expired: 'off', revoked: 'off', off: 'warn' };
const DAY_MS = 86_400_000;

export default function OperatorTokens() {
  const texts = useTokenTexts();
  const may = useStaffMay<typeof listOperatorTokens>(['owner']);
  if (!may) return <Empty page title={texts.forOwners} text={texts.forOwnersText} />;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      <Panel label={texts.title}>
        <Tokens />
        <MakeToken />
      </Panel>
    </>
  );
}

function Tokens() {
  const texts = useTokenTexts();
  const read = useRead<typeof listOperatorTokens>('GET /api/admin/operator-tokens', {});
  const revoke = useChange<typeof revokeOperatorToken>('DELETE /api/admin/operator-tokens/:id', { stale: STALE });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <Table
      label={texts.title}
      rows={read.data?.data}
      idOf={({ id }) => id}
      skeleton={2}
      empty={<Empty title={texts.empty} text={texts.emptyText} />}
      columns={[
        { id: 'name', head: texts.name, fold: 'c1', cell: (token) => <Name token={token} /> },
        { id: 'scopes', head: texts.scopes, className: 'own-line', cell: (token) => <Scopes token={token} /> },
        {
          id: 'ends',
          head: texts.ends,
          className: 'mid',
          cell: ({ expires_at: at }) => (at === null ? texts.noEnd : <Moment at={at} exact />),
        },
        {
          id: 'used',
          head: texts.used,
          fold: 'c3',
          className: 'mid',
          cell: ({ last_used_at: at }) => (at === null ? texts.never : <Moment at={at} />),
        },
        {
          id: 'state',
          head: texts.state,
          fold: 'c4',
          cell: ({ state }) => <Pill tone={TONES[state]}>{texts.states[state]}</Pill>,
        },
        {
          id: 'revoke',
          head: '',
          fold: 'c2',
          cell: (token) =>
            token.source === 'named' &&
            (token.state === 'live' || token.state === 'off') && (
              <span className="row">
                <TokenLimits token={token} />
                <AskingButton
                  title={texts.revokeTitle(token.name)}
                  text={texts.revokeText}
                  onConfirm={() => revoke.mutate({ params: { id: token.id } })}
                >
                  {texts.revoke}
                </AskingButton>
              </span>
            ),
        },
      ]}
    />
  );
}

function Name({ token: { name, last4, source } }: { token: Token }) {
  const texts = useTokenTexts();
  return (
    <>
      <bdi className="strong">{name}</bdi>
      <span className="sub">{source === 'named' ? <Id value={`dgo-…${last4}`} /> : texts.environmentHint}</span>
    </>
  );
}

function Scopes({ token: { scopes, source } }: { token: Token }) {
  const texts = useTokenTexts();
  if (source === 'environment') return texts.allOf;
  return scopes.map((scope) => (
    <span key={scope} className="tag">
      {texts.scopeLabels[scope][0]}
    </span>
  ));
}

function MakeToken() {
  const texts = useTokenTexts();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly OperatorScope[]>(['read']);
  const [days, setDays] = useState('90');
  const make = useChange<typeof createOperatorToken>('POST /api/admin/operator-tokens', {
    quiet: true,
    stale: STALE,
    done: () => setName(''),
  });
  const choose = (scope: OperatorScope, on: boolean) =>
    setScopes((before) => OPERATOR_SCOPES.filter((one) => (one === scope ? on : before.includes(one))));
  const send = () =>
    make.mutate({
      body: {
        name: name.trim(),
        scopes: [...scopes],
        expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      },
    });
  return (
    <Form className="pad stack gap-m under narrow-form" label={texts.make} onSubmit={send}>
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        value={name}
        onChange={setName}
        dir="auto"
        maxLength={80}
        error={make.error?.message}
      />
      <fieldset className="unframed stack gap-s">
        <legend className="label">{texts.scopes}</legend>
        {OPERATOR_SCOPES.map((scope) => (
          <Check key={scope} checked={scopes.includes(scope)} onChange={(on) => choose(scope, on)}>
            {texts.scopeLabels[scope][0]} <span className="xs dim">{texts.scopeLabels[scope][1]}</span>
          </Check>
        ))}
      </fieldset>
      <SelectField label={texts.life} value={days} onChange={setDays} options={Object.entries(texts.lives)} />
      <div className="row">
        <button type="submit" className="btn" disabled={name.trim() === '' || scopes.length === 0 || make.isPending}>
          {texts.make}
        </button>
      </div>
      {make.data !== undefined && <Fresh text={make.data.token} onClose={() => make.reset()} />}
    </Form>
  );
}

function Fresh({ text, onClose }: { text: string; onClose(): void }) {
  const texts = useTokenTexts();
  return (
    <Dialog
      title={texts.secretTitle}
      closable={false}
      onClose={onClose}
      footer={
        <button type="button" className="btn main" onClick={onClose}>
          {texts.done}
        </button>
      }
    >
      <p>{texts.secretText}</p>
      <div className="secret">
        <span>{text}</span>
        <CopyButton text={text} />
      </div>
    </Dialog>
  );
}
