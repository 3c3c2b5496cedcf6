/** One message on the screen: words as markdown, tools, citations, and what can be done with it. */
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { Code, CopyButton, Live } from '../../parts/small.tsx';
import type { Message, ToolCall } from './talk.ts';
import { useWords } from './words.ts';

const Markdown = lazy(async () => {
  const { renderMarkdown } = await import('./render.ts');
  return {
    default: function Markdown({ text }: { text: string }) {
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the text went through the purifier of render.ts.
      return <div className="markdown" dir="auto" dangerouslySetInnerHTML={{ __html: renderMarkdown(text) }} />;
    },
  };
});

export function Said({
  message,
  onEdit,
  onRegenerate,
  onToolResult,
}: {
  message: Message;
  onEdit?: ((text: string) => void) | undefined;
  onRegenerate?: (() => void) | undefined;
  onToolResult?: ((call: ToolCall, result: string) => void) | undefined;
}) {
  const words = useWords();
  const [editing, setEditing] = useState<string>();
  if (message.role === 'tool') {
    return (
      <div className="msg you">
        <div className="by">{words.toolResult}</div>
        <Code text={message.text} />
      </div>
    );
  }
  if (message.role === 'user') {
    return (
      <div className="msg you">
        <div className="by">
          {words.you}
          {onEdit !== undefined && editing === undefined && (
            <button
              type="button"
              className="copy"
              aria-label={words.edit}
              title={words.edit}
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
            className="stack s"
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
              aria-label={words.edit}
              value={editing}
              onChange={(event) => setEditing(event.target.value)}
            />
            <div className="row">
              <button type="submit" className="btn small">
                {words.send}
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
        {words.answer}
        {message.running === true && <Live>{words.writing}</Live>}
        {message.stopped === true && <span>{words.stopped}</span>}
        {message.running !== true && message.text !== '' && <CopyButton text={message.text} />}
        {message.running !== true && onRegenerate !== undefined && (
          <button
            type="button"
            className="copy"
            aria-label={words.regenerate}
            title={words.regenerate}
            onClick={onRegenerate}
          >
            <Icon name="again" />
          </button>
        )}
      </div>
      {message.reasoning !== undefined && (
        <details className="reasoning">
          <summary>{words.thinking}</summary>
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
        <Markdown text={message.text} />
      </Suspense>
      {message.running === true && <span className="caret" />}
      {message.toolCalls?.map((toolCall) => (
        <ToolRequest
          key={toolCall.id}
          toolCall={toolCall}
          onResult={message.running === true ? undefined : onToolResult}
        />
      ))}
      {message.cites !== undefined && message.cites.length > 0 && (
        <div className="cite">
          <span>{words.cites}</span>
          {message.cites.map((cite, index) => (
            <span key={cite.title}>
              {index + 1}. <bdi>{cite.title}</bdi>
            </span>
          ))}
        </div>
      )}
      {message.error !== undefined && (
        <p className="bad" role="alert">
          {words.failed} {message.error}
        </p>
      )}
    </div>
  );
}

function ToolRequest({
  toolCall,
  onResult,
}: {
  toolCall: ToolCall;
  onResult: ((call: ToolCall, result: string) => void) | undefined;
}) {
  const words = useWords();
  const [result, setResult] = useState('');
  return (
    <div className="stack s">
      <span className="xs dim">{words.toolCall(toolCall.name)}</span>
      <Code text={toolCall.arguments} />
      {onResult !== undefined && (
        <form
          className="row keep"
          onSubmit={(event) => {
            event.preventDefault();
            onResult(toolCall, result);
          }}
        >
          <input
            className="input"
            dir="ltr"
            aria-label={words.toolResult}
            placeholder={words.toolResult}
            value={result}
            onChange={(event) => setResult(event.target.value)}
          />
          <button type="submit" className="btn small">
            {words.toolSend}
          </button>
        </form>
      )}
    </div>
  );
}
