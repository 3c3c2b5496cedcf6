/** The form of a question: text, pictures, and the model that answers. */
import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { dataUrlOf } from '../../parts/attach.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Charged } from './model-column.tsx';
import { useTexts } from './texts.ts';

export function Compose({
  count,
  busy,
  ready,
  onSend,
  onStop,
  keyId,
}: {
  count: number;
  busy: boolean;
  /** Each conversation has its model. */
  ready: boolean;
  onSend(text: string, images: string[]): void;
  onStop(): void;
  keyId: string | undefined;
}) {
  const texts = useTexts();
  const format = useFormat();
  const [text, setText] = useState('');
  const [images, setImages] = useState<string[]>([]);
  const send = () => {
    if (text.trim() === '' || busy || !ready) return;
    onSend(text, images);
    setText('');
    setImages([]);
  };
  return (
    <form
      className="compose"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {images.length > 0 && (
        <div className="row">
          {images.map((source) => (
            <button
              key={source.slice(-40)}
              type="button"
              className="btn icon"
              aria-label={texts.removeImage}
              title={texts.removeImage}
              onClick={() => setImages(images.filter((other) => other !== source))}
            >
              <img className="thumb" src={source} alt="" />
            </button>
          ))}
        </div>
      )}
      <div className="box">
        <label className="btn icon" title={texts.attach}>
          <Icon name="image" />
          <span className="vh">{texts.attach}</span>
          <input
            className="vh"
            type="file"
            accept="image/*"
            multiple
            onChange={(event) => {
              const files = [...(event.target.files ?? [])];
              void Promise.all(files.map(dataUrlOf)).then((found) => setImages([...images, ...found].slice(0, 8)));
              event.target.value = '';
            }}
          />
        </label>
        <textarea
          rows={Math.min(8, text.split('\n').length)}
          dir="auto"
          aria-label={texts.message}
          placeholder={count > 1 ? texts.placeholder(format.number(count)) : texts.placeholderOne}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (
              event.key === 'Enter' &&
              (event.metaKey || event.ctrlKey || (!event.shiftKey && !event.nativeEvent.isComposing))
            ) {
              event.preventDefault();
              send();
            }
          }}
        />
        {busy ? (
          <button type="button" className="btn" onClick={onStop}>
            <Icon name="stop" />
            {texts.stop}
          </button>
        ) : (
          <button type="submit" className="btn main" disabled={text.trim() === '' || !ready} aria-label={texts.send}>
            <Icon name="send" flip />
            <span className="hs">{texts.send}</span>
          </button>
        )}
      </div>
      <div className="row between xs dim">
        <span>
          {texts.charged} {keyId !== undefined && <Charged id={keyId} />}
        </span>
        <span className="hs">
          <kbd dir="ltr">↵</kbd> {texts.send} · <kbd dir="ltr">Esc</kbd> {texts.stop}
        </span>
      </div>
    </form>
  );
}
