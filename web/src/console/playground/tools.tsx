/** Tool calls of the model. It waits for all results, so they are sent together. */
import { useState } from 'react';
import { Code } from '../../parts/copyable.tsx';
import type { ToolCall } from './talk.ts';
import { useTexts } from './texts.ts';

export interface ToolResult {
  call: ToolCall;
  text: string;
}

export function ToolRequests({
  calls,
  onResults,
}: {
  calls: readonly ToolCall[];
  onResults: ((results: ToolResult[]) => void) | undefined;
}) {
  const texts = useTexts();
  const [results, setResults] = useState<Record<string, string>>({});
  return (
    <form
      className="stack gap-s"
      onSubmit={(event) => {
        event.preventDefault();
        onResults?.(calls.map((call) => ({ call, text: results[call.id] ?? '' })));
      }}
    >
      {calls.map((call) => (
        <div className="stack gap-s" key={call.id}>
          <span className="xs dim">{texts.toolCall(call.name)}</span>
          <Code text={call.arguments} />
          {onResults !== undefined && (
            <input
              className="input"
              dir="ltr"
              aria-label={`${texts.toolResult} ${call.name}`}
              placeholder={texts.toolResult}
              value={results[call.id] ?? ''}
              onChange={(event) => setResults({ ...results, [call.id]: event.target.value })}
            />
          )}
        </div>
      ))}
      {onResults !== undefined && (
        <div className="row">
          <button type="submit" className="btn small">
            {calls.length === 1 ? texts.toolSend : texts.toolSendAll}
          </button>
        </div>
      )}
    </form>
  );
}
