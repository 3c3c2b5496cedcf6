/** A model of one's own: what customers call it, which provider answers it, and what it costs. */
import { useState } from 'react';
import { MODEL_FIELDS, PRICE_FIELDS } from '../../../../server/src/core/fields/catalog.ts';
import type { createModel } from '../../../../server/src/http/admin/routes/models.ts';
import type { listProviders } from '../../../../server/src/http/admin/routes/providers.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { useDeclared } from '../../parts/declared.ts';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { NumberField, SelectField, TextField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { STALE } from './money-fields.ts';
import { useModelTexts } from './texts.ts';

export function NewModel({ onClose }: { onClose(): void }) {
  const texts = useModelTexts();
  const toast = useToast();
  const declared = useDeclared();
  const providers = useRead<typeof listProviders>('GET /api/admin/providers', {}).data?.data ?? [];
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [nameFa, setNameFa] = useState('');
  const [provider, setProvider] = useState<string>();
  const [upstream, setUpstream] = useState('');
  const [input, setInput] = useState<string | null>(null);
  const [output, setOutput] = useState<string | null>(null);
  const [context, setContext] = useState<string | null>(null);
  const make = useChange<typeof createModel>('POST /api/admin/models', {
    stale: STALE,
    quiet: true,
    done() {
      toast({ text: texts.modelMade });
      onClose();
    },
  });
  const chosen = provider ?? providers[0]?.id;
  const ready = /^[^/\s]+\/\S+$/.test(id.trim()) && chosen !== undefined && input !== null && output !== null;
  const send = () => {
    if (chosen === undefined || input === null || output === null) return;
    const upstreamName = upstream.trim() === '' ? id.trim().slice(id.indexOf('/') + 1) : upstream.trim();
    make.mutate({
      body: {
        id: id.trim(),
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        ...(nameFa.trim() === '' ? {} : { name_fa: nameFa.trim() }),
        ...(context === null ? {} : { context: Math.round(Number(context)) }),
        routes: [{ provider: chosen, model: upstreamName }],
        price: { input, output },
      },
    });
  };
  const error = (field: string) => errorAt(make.error, field);
  return (
    <Dialog
      title={texts.newModel}
      wide
      onClose={onClose}
      footer={
        <DialogActs onClose={onClose} disabled={!ready || make.isPending} onAct={send}>
          {texts.make}
        </DialogActs>
      }
    >
      <div className="columns">
        <TextField
          label={texts.modelId}
          hint={texts.modelIdHint}
          name="id"
          dir="ltr"
          value={id}
          onChange={setId}
          error={error('id')}
        />
        <SelectField
          label={texts.provider}
          dir="ltr"
          value={chosen ?? ''}
          onChange={setProvider}
          options={providers.map((one) => [one.id, one.id] as const)}
        />
        <TextField
          label={texts.upstream}
          name="upstream"
          dir="ltr"
          placeholder={id.slice(id.indexOf('/') + 1)}
          value={upstream}
          onChange={setUpstream}
          error={error('routes')}
        />
        <TextField {...declared(MODEL_FIELDS.name)} dir="ltr" value={name} onChange={setName} error={error('name')} />
        <TextField
          {...declared(MODEL_FIELDS.name_fa)}
          dir="auto"
          value={nameFa}
          onChange={setNameFa}
          error={error('name_fa')}
        />
        <NumberField
          {...declared(PRICE_FIELDS.input)}
          name="input"
          value={input}
          onChange={setInput}
          error={error('price.input')}
        />
        <NumberField
          {...declared(PRICE_FIELDS.output)}
          name="output"
          value={output}
          onChange={setOutput}
          error={error('price.output')}
        />
        <NumberField
          {...declared(MODEL_FIELDS.context)}
          bounds={MODEL_FIELDS.context}
          value={context}
          onChange={setContext}
          error={error('context')}
        />
      </div>
      {make.error !== null && <p className="bad">{make.error.message}</p>}
    </Dialog>
  );
}
