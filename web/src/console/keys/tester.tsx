/**
 * The rule tester: the request is described here and checked by the server as a real one, with nothing sent or spent.
 */

import type { testKey } from '@dargah/api/console/test-key.ts';
import { useId, useMemo, useState } from 'react';
import { useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AreaField, Form, NumberField, TextField } from '../../parts/form.tsx';
import { type Gate, gateOf, type Verdicts } from '../../parts/gates.tsx';
import { ModelPicker } from '../../parts/model-picker.tsx';
import { permittedBy } from '../../parts/model-search.ts';
import { recentModels } from '../../parts/recent-models.ts';
import { firstModel, useModels } from '../use-models.ts';
import { useTexts } from './texts.ts';

interface TesterProps {
  keyId: string;
  /** Which models the key may use; null: all of the account. */
  modelRule: readonly string[] | null | undefined;
  /** The rules' names in the list beside it. */
  gates: readonly Gate[];
  onVerdicts(verdicts: Verdicts | undefined): void;
}

export function Tester({ keyId, modelRule, gates, onVerdicts }: TesterProps) {
  const texts = useTexts();
  const format = useFormat();
  const labelId = useId();
  const models = useModels('chat');
  const permits = useMemo(() => permittedBy(modelRule, models), [modelRule, models]);
  const [picked, setModel] = useState<string>();
  const [recent] = useState(recentModels);
  const model = picked ?? firstModel(models, recent, permits);
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
          model,
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
      <Form className="pad stack gap-m no-top" label={texts.test.title} onSubmit={run}>
        <p className="mid">{texts.test.lead}</p>
        <div className="field">
          <span className="label" id={labelId}>
            {texts.test.model}
          </span>
          <ModelPicker
            label={texts.test.model}
            labelledBy={labelId}
            source={models}
            permits={permits}
            withGroups
            value={model}
            onChange={setModel}
          />
        </div>
        <TextField label={texts.test.ip} hint={texts.test.ipHint} value={ip} onChange={setIp} dir="ltr" />
        <AreaField label={texts.test.text} value={text} onChange={setText} rows={2} />
        <NumberField label={texts.test.most} value={most} onChange={setMost} unit={texts.test.tokens} />
        <button type="submit" className="btn" disabled={test.isPending || model === ''}>
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
