/** Small files beside a message, read in the browser and sent with it, and fetched again by whoever reads the message. */
import { useId } from 'react';
import { useSayRefusal } from '../api/read.ts';
import { useFormat } from '../format.ts';
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';
import { download } from './table.tsx';
import { useToast } from './toast.tsx';

export interface Attached {
  name: string;
  type: string;
  /** base64 */
  data: string;
}

const MAX_BYTES = 3 * 1024 * 1024;

export function AttachField({
  files,
  onChange,
  label,
  hint,
  tooLarge,
}: {
  files: readonly Attached[];
  onChange(next: Attached[]): void;
  label: string;
  hint: string;
  tooLarge(name: string): string;
}) {
  const id = useId();
  const format = useFormat();
  const shared = useShared();
  const toast = useToast();
  const add = async (chosen: FileList | null) => {
    const next = [...files];
    for (const file of chosen ?? []) {
      if (file.size > MAX_BYTES) toast({ tone: 'bad', text: tooLarge(file.name) });
      else if (next.length < 3)
        next.push({ name: file.name, type: file.type || 'application/octet-stream', data: await base64Of(file) });
    }
    onChange(next);
  };
  return (
    <div className="field">
      <div className="row">
        <label className="btn small" htmlFor={id}>
          <Icon name="clip" />
          {label}
        </label>
        <input id={id} className="vh" type="file" multiple onChange={(event) => void add(event.target.files)} />
        {files.map((file, index) => (
          <span key={file.name + String(index)} className="tag">
            <bdi>{file.name}</bdi> {format.bytes((file.data.length * 3) / 4)}{' '}
            <button
              type="button"
              className="link"
              aria-label={`${shared.close} ${file.name}`}
              onClick={() => onChange(files.filter((other) => other !== file))}
            >
              <Icon name="x" />
            </button>
          </span>
        ))}
      </div>
      <span className="hint">{hint}</span>
    </div>
  );
}

/** The files of a message, each a button that brings it. */
export function AttachedFiles({
  files,
  bring,
}: {
  files: readonly { id: string; name: string }[];
  bring(id: string): Promise<Blob>;
}) {
  const say = useSayRefusal();
  const save = async (id: string, name: string) => {
    try {
      download(name, await bring(id));
    } catch (error) {
      say(error);
    }
  };
  return files.map(({ id, name }) => (
    <button key={id} type="button" className="btn small" onClick={() => void save(id, name)}>
      <Icon name="clip" />
      <bdi className="cut-short">{name}</bdi>
    </button>
  ));
}

async function base64Of(file: Blob): Promise<string> {
  const address = await dataUrlOf(file);
  return address.slice(address.indexOf(',') + 1);
}

export function dataUrlOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the file could not be read'));
    reader.readAsDataURL(file);
  });
}
