/** What people copy: ids, names of models, code. Always left to right. */
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';
import { useToast } from './toast.tsx';

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const texts = useShared();
  const toast = useToast();
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toast({ text: texts.copied });
  };
  return (
    <button
      type="button"
      className="copy"
      aria-label={label ?? texts.copy}
      title={label ?? texts.copy}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
    </button>
  );
}

/** A key tail, an id, a model name: left to right in any sentence. */
export function Id({ value, copy = false, boxed = false }: { value: string; copy?: boolean; boxed?: boolean }) {
  return (
    <bdi className={boxed ? 'id boxed' : 'id'} dir="ltr">
      <span title={value}>{value}</span>
      {copy && <CopyButton text={value} />}
    </bdi>
  );
}

/** `anthropic/claude` with the vendor dropped where there is little room. */
export function ModelName({ id }: { id: string }) {
  if (id === '') return <span className="dim">—</span>;
  const cut = id.indexOf('/') + 1;
  return (
    <bdi className="id" dir="ltr">
      <span title={id}>
        {cut > 0 && <span className="hs ws">{id.slice(0, cut)}</span>}
        {id.slice(cut)}
      </span>
    </bdi>
  );
}

/** Code to copy: always left to right, in plain digits. */
export function Code({ text }: { text: string }) {
  return (
    <div className="code-box" dir="ltr">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard. */}
      <pre className="code" tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}
