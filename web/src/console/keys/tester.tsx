/** Would this request pass? Described here, decided by the server as for real, with nothing sent or spent. */

import type { getPlayground } from '@dargah/api/console/playground.ts';
import type { testKey } from '@dargah/api/console/test-key.ts';
import { useState } from 'react';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AreaField, Form, NumberField, TextField } from '../../parts/form.tsx';
import { type Gate, gateOf, type Verdicts } from '../../parts/gates.tsx';
import { useTexts } from './texts.ts';

interface TesterProps {
  keyId: string;
  /** As they are named in the list beside. */
  gates: readonly Gate[];
  onVerdicts(verdicts: Verdicts | undefined): void;
}

export function Tester({ keyId, gates, onVerdicts }: TesterProps) {
  const texts = useTexts();
  const format = useFormat();
  const models = useRead<typeof getPlayground>('GET /api/console/playground', {}).data?.models as
    | { id: string }[]
    | undefined;
  const [model, setModel] = useState('sandbox/hello');
  const [ip, setIp] = useState('');
  const [text, setText] = useState(texts.test.sample);
  const [most, setMost] = useState<string | null>('1024');
  const test = useChange<typeof testKey>('POST /api/console/keys/:id/test', { done: ({ rules }) => onVerdicts(rules) });
  const answer = test.data;
  const refusing = answer?.rules.find(({ verdict }) => verdict === 'refuses');
  const stopping = refusing === undefined ? undefined : gateOf(refusing, gates);
  const run = () =>
    test.mutate({
      params: { id: keyId },
      body: {
        endpoint: 'chat.completions',
        request: {
          model: model.trim(),
          messages: [{ role: 'user', content: text }],
          ...(most === null ? {} : { max_tokens: Math.round(Number(most)) }),
        },
        ...(ip.trim() === '' ? {} : { ip: ip.trim() }),
      },
    });
  return (
    <div className="panel">
      <div className="head">
        <h2>{texts.test.title}</h2>
      </div>
      <Form className="pad stack m no-top" label={texts.test.title} onSubmit={run}>
        <p className="mid">{texts.test.lead}</p>
        <TextField label={texts.test.model} value={model} onChange={setModel} dir="ltr" list="tester-models" />
        <datalist id="tester-models">
          {(models ?? []).map(({ id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
        <TextField label={texts.test.ip} hint={texts.test.ipHint} value={ip} onChange={setIp} dir="ltr" />
        <AreaField label={texts.test.text} value={text} onChange={setText} rows={2} />
        <NumberField label={texts.test.most} value={most} onChange={setMost} unit={texts.test.tokens} />
        <button type="submit" className="btn" disabled={test.isPending}>
          {texts.test.run}
        </button>
      </Form>
      {answer !== undefined && (
        <div className={answer.passes ? 'verdict good-verdict' : 'verdict'} role="status">
          <h3>{answer.passes ? texts.test.passes : texts.test.refuses(stopping)}</h3>
          {refusing?.message != null && <p className="mid">{refusing.message}</p>}
          {refusing?.code != null && (
            <p className="mid">
              {texts.test.answer} <Id value={refusing.code} />
            </p>
          )}
          {answer.price !== null && (
            <p className="mid">
              {texts.test.price(format.money(answer.price.least), format.money(answer.price.most))}{' '}
              {answer.hold !== null && texts.test.hold(format.money(answer.hold))}
            </p>
          )}
          {answer.passes && answer.routes.length > 0 && (
            <p className="mid">{texts.test.routes(format.number(answer.routes.length))}</p>
          )}
        </div>
      )}
    </div>
  );
}
