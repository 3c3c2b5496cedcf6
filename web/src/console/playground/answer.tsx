/** One message on the screen: its text as markdown, tools, citations, and its actions. */
import { lazy, Suspense, useId, useState } from 'react';
import { useFormat } from '../../format.ts';
import { Code, CopyButton } from '../../parts/copyable.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Live } from '../../parts/pill.tsx';
import { pageText, usePassageTexts } from '../../texts/passage-texts.ts';
import { useShared } from '../../texts/shared.ts';
import type { Cite, Message } from './talk.ts';
import { useTexts } from './texts.ts';
import { ToolRequests, type ToolResult } from './tools.tsx';

const Markdown = lazy(async () => {
  const { directionOf, renderMarkdown } = await import('./render.ts');
  return {
    default: function Markdown({ text, cites }: { text: string; cites: ReadonlyMap<number, string> }) {
      const made = renderMarkdown(text, (number) => cites.get(number));
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the text went through the purifier of render.ts.
      return <div className="markdown" dir={directionOf(text)} dangerouslySetInnerHTML={{ __html: made }} />;
    },
  };
});

export function MessageView({
  message,
  onEdit,
  onRegenerate,
  onToolResults,
}: {
  message: Message;
  onEdit?: ((text: string) => void) | undefined;
  onRegenerate?: (() => void) | undefined;
  onToolResults?: ((results: ToolResult[]) => void) | undefined;
}) {
  const texts = useTexts();
  const shared = useShared();
  const [editing, setEditing] = useState<string>();
  const own = useId();
  if (message.role === 'tool') {
    return (
      <div className="msg you">
        <div className="by">{texts.toolResult}</div>
        <Code text={message.text} />
      </div>
    );
  }
  if (message.role === 'user') {
    return (
      <div className="msg you">
        <div className="by">
          {texts.you}
          {onEdit !== undefined && editing === undefined && (
            <button
              type="button"
              className="copy"
              aria-label={texts.edit}
              title={texts.edit}
              onClick={() => setEditing(message.text)}
            >
              <Icon name="edit" />
            </button>
          )}
        </div>
        {editing === undefined ? (
          <p dir="auto" className="pre">
            {message.text}
          </p>
        ) : (
          <form
            className="stack gap-s"
            onSubmit={(event) => {
              event.preventDefault();
              setEditing(undefined);
              onEdit?.(editing);
            }}
          >
            <textarea
              className="input"
              dir="auto"
              rows={3}
              aria-label={texts.edit}
              value={editing}
              onChange={(event) => setEditing(event.target.value)}
            />
            <div className="row">
              <button type="submit" className="btn small" disabled={editing.trim() === ''}>
                {texts.send}
              </button>
              <button type="button" className="btn small plain" onClick={() => setEditing(undefined)}>
                {shared.cancel}
              </button>
            </div>
          </form>
        )}
        {message.images?.map((source) => (
          <img key={source.slice(-40)} className="thumb" src={source} alt="" />
        ))}
      </div>
    );
  }
  return (
    <div className="msg">
      <div className="by">
        {texts.answer}
        {message.running === true && <Live>{texts.writing}</Live>}
        {message.stopped === true && <span>{texts.stopped}</span>}
        {message.running !== true && message.text !== '' && <CopyButton text={message.text} />}
        {message.running !== true && onRegenerate !== undefined && (
          <button
            type="button"
            className="copy"
            aria-label={texts.regenerate}
            title={texts.regenerate}
            onClick={onRegenerate}
          >
            <Icon name="again" />
          </button>
        )}
      </div>
      {message.reasoning !== undefined && (
        <details className="reasoning">
          <summary>{texts.thinking}</summary>
          <p dir="auto" className="pre dim">
            {message.reasoning}
          </p>
        </details>
      )}
      <Suspense
        fallback={
          <p dir="auto" className="pre">
            {message.text}
          </p>
        }
      >
        <Markdown text={message.text} cites={addressesOf(message, own)} />
      </Suspense>
      {message.running === true && <span className="caret" />}
      {message.toolCalls !== undefined && (
        <ToolRequests calls={message.toolCalls} onResults={message.running === true ? undefined : onToolResults} />
      )}
      {message.cites !== undefined && message.cites.length > 0 && (
        <div className="cite">
          <span>{texts.cites}</span>
          {message.cites.map((cite, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: citations are only added at the end.
            <CiteLine key={index} cite={cite} number={cite.number ?? index + 1} id={citeId(own, cite.number)} />
          ))}
        </div>
      )}
      {message.error !== undefined && (
        <p className="bad" role="alert">
          {texts.failed} {message.error}
        </p>
      )}
    </div>
  );
}

function citeId(message: string, number: number | undefined): string | undefined {
  return number === undefined ? undefined : `${message}-cite-${number}`;
}

/** Links from a number in the text to its citation; only citations whose number is known have one. */
function addressesOf({ cites = [] }: Message, own: string): Map<number, string> {
  return new Map(cites.flatMap(({ number }) => (number === undefined ? [] : [[number, `#${citeId(own, number)}`]])));
}

function CiteLine({ cite, number, id }: { cite: Cite; number: number; id: string | undefined }) {
  const texts = usePassageTexts();
  const format = useFormat();
  const { title, href, where } = cite;
  return (
    <span id={id}>
      {format.number(number)}.{' '}
      {href === undefined ? (
        <bdi>{title}</bdi>
      ) : (
        // In a new tab, because leaving this page would end the conversation.
        <a className="link" href={href} target="_blank" rel="noopener noreferrer">
          <bdi>{title}</bdi>
        </a>
      )}
      {where !== undefined && (
        <span className="dim">
          {' · '}
          {where.heading !== undefined && (
            <>
              <bdi>{where.heading}</bdi>
              {' · '}
            </>
          )}
          {where.page !== undefined && `${pageText(texts, title, format.number(where.page))} · `}
          {texts.passage(format.number(where.place))}
        </span>
      )}
    </span>
  );
}
