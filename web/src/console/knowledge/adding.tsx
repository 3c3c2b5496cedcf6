/** New documents: dropped, chosen, written or fetched from an address. */

import type { addDocument } from '@dargah/api/console/knowledge.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { forget, useChange, useSayRefusal } from '../../api/read.ts';
import { uploadFile } from '../../api/upload.ts';
import { useFormat } from '../../format.ts';
import { AreaField, Form, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useTexts } from './texts.ts';

export const DOCUMENTS = 'GET /api/console/knowledge-bases/:id/documents';
/** Reads that are stale when a document was added or removed. */
export const STALE = [DOCUMENTS, 'GET /api/console/knowledge-bases'];

export function Adding({ id }: { id: string }) {
  const texts = useTexts();
  const [way, setWay] = useState<'file' | 'url' | 'text'>('file');
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const add = useChange<typeof addDocument>('POST /api/console/knowledge-bases/:id/documents', {
    stale: STALE,
    done() {
      setUrl('');
      setName('');
      setText('');
    },
  });
  return (
    <section className="panel pad stack gap-m" aria-label={texts.add}>
      <Segments
        label={texts.add}
        value={way}
        onChange={setWay}
        options={[
          ['file', texts.sources['upload']],
          ['url', texts.sources['url']],
          ['text', texts.sources['text']],
        ]}
      />
      {way === 'file' && <Dropping id={id} />}
      {way === 'url' && (
        <Form
          className="stack gap-m narrow-form"
          onSubmit={() => add.mutate({ params: { id }, body: { url: url.trim() } })}
        >
          <TextField label={texts.url} value={url} onChange={setUrl} dir="ltr" placeholder="https://" />
          <div className="row">
            <button type="submit" className="btn" disabled={url.trim() === '' || add.isPending}>
              {texts.add}
            </button>
          </div>
        </Form>
      )}
      {way === 'text' && (
        <Form
          className="stack gap-m"
          onSubmit={() => add.mutate({ params: { id }, body: { name: name.trim(), text } })}
        >
          <TextField label={texts.textName} value={name} onChange={setName} dir="auto" />
          <AreaField label={texts.text} value={text} onChange={setText} rows={6} />
          <div className="row">
            <button type="submit" className="btn" disabled={name.trim() === '' || text.trim() === '' || add.isPending}>
              {texts.add}
            </button>
          </div>
        </Form>
      )}
    </section>
  );
}

function Dropping({ id }: { id: string }) {
  const texts = useTexts();
  const format = useFormat();
  const client = useQueryClient();
  const say = useSayRefusal();
  const [over, setOver] = useState(false);
  const [running, setRunning] = useState<Record<string, number>>({});
  const send = async (files: FileList | null) => {
    for (const file of files ?? []) {
      const put = (share: number | undefined) =>
        setRunning(({ [file.name]: _gone, ...rest }) => (share === undefined ? rest : { ...rest, [file.name]: share }));
      put(0);
      try {
        await uploadFile(`/api/console/knowledge-bases/${encodeURIComponent(id)}/documents`, file, put);
      } catch (error) {
        say(error);
      }
      put(undefined);
      forget(client, STALE);
    }
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra way; the button beneath does the same. */}
      <div
        className={over ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void send(event.dataTransfer.files);
        }}
      >
        <Icon name="upload" />
        <span>{texts.drop}</span>
        <label className="btn small" htmlFor="knowledge-files">
          {texts.choose}
        </label>
        <input
          id="knowledge-files"
          className="vh"
          type="file"
          multiple
          onChange={(event) => void send(event.target.files)}
        />
        <span className="xs dim">{texts.kinds}</span>
      </div>
      {Object.entries(running).map(([name, share]) => (
        <div key={name} className="stack gap-s">
          <span className="xs">{texts.uploading(name, format.percent(share))}</span>
          <progress className="bar-progress" value={share} max={1} aria-label={name} />
        </div>
      ))}
    </>
  );
}
