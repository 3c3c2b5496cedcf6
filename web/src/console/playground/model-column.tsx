/** One conversation with one model, and what its answers cost. */
import { type RefObject, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { Amount } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ModelPicker } from '../../parts/model-picker.tsx';
import type { ModelSource } from '../../parts/model-search.ts';
import { Empty } from '../../parts/page-frame.tsx';
import { useDaily } from '../keys/daily.ts';
import { MessageView } from './answer.tsx';
import type { Message } from './talk.ts';
import { useTexts } from './texts.ts';
import type { ToolResult } from './tools.tsx';

/** Within this distance from the end the box follows new text. */
const NEAR_PX = 80;

/** A box that shows its end while it grows, until the reader scrolls up; a new message is always shown. */
function useFollowed(messages: number): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const show = () => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    };
    const onScroll = () => {
      follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    };
    const grown = new MutationObserver(show);
    grown.observe(element, { childList: true, subtree: true, characterData: true });
    element.addEventListener('scroll', onScroll);
    return () => {
      grown.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the number of messages that counts.
  useEffect(() => {
    follows.current = true;
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [messages]);
  return box;
}

export interface ModelColumn {
  id: number;
  model: string;
  messages: Message[];
}

export function Talk({
  column,
  models,
  permits,
  shown,
  onModel,
  onRemove,
  onStop,
  onRun,
  onExample,
}: {
  column: ModelColumn;
  models: ModelSource | undefined;
  permits: ((id: string) => boolean) | undefined;
  shown: boolean;
  onModel(model: string): void;
  onRemove?: (() => void) | undefined;
  onStop(): void;
  onRun(messages: Message[]): void;
  onExample(text: string): void;
}) {
  const texts = useTexts();
  const format = useFormat();
  const box = useFollowed(column.messages.length);
  const last = column.messages.at(-1);
  const toolResults = (index: number) => (results: ToolResult[]) =>
    onRun([
      ...column.messages.slice(0, index + 1),
      ...results.map(({ call, text }): Message => ({ role: 'tool', text, toolCallId: call.id })),
    ]);
  return (
    <section className={shown ? 'talk shown' : 'talk'} aria-label={column.model}>
      <header>
        <ModelPicker
          label={texts.model}
          source={models}
          permits={permits}
          withGroups
          value={column.model}
          onChange={onModel}
        />
        {last?.running === true && (
          <button type="button" className="btn small" onClick={onStop}>
            <Icon name="stop" />
            {texts.stop}
          </button>
        )}
        {onRemove !== undefined && (
          <Menu label={texts.removeModel} items={[{ name: texts.removeModel, icon: 'trash', run: onRemove }]} />
        )}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div className="msgs" tabIndex={0} aria-live="polite" ref={box}>
        {column.messages.length === 0 && (
          <Empty title={texts.empty} text={texts.emptyText}>
            {texts.examples.map((example) => (
              <button key={example} type="button" className="chip" onClick={() => onExample(example)}>
                {example}
              </button>
            ))}
          </Empty>
        )}
        {column.messages.map((message, index) => (
          <MessageView
            // biome-ignore lint/suspicious/noArrayIndexKey: messages are only added at the end or cut off there.
            key={index}
            message={message}
            onEdit={(text) => onRun([...column.messages.slice(0, index), { ...message, text }])}
            onRegenerate={
              index === column.messages.length - 1 && message.role === 'assistant'
                ? () => onRun(column.messages.slice(0, index))
                : undefined
            }
            onToolResults={index === column.messages.length - 1 ? toolResults(index) : undefined}
          />
        ))}
      </div>
      {last?.role === 'assistant' && (
        <footer>
          {last.cost !== undefined && (
            <span>
              <b>
                <Amount value={last.cost} />
              </b>{' '}
              {texts.toman}
            </span>
          )}
          {last.inputTokens !== undefined && (
            <span>{texts.usage(format.number(last.inputTokens), format.number(last.outputTokens ?? 0))}</span>
          )}
          {last.firstMs !== undefined && <span>{texts.first(format.seconds(last.firstMs))}</span>}
          {last.totalMs !== undefined && <span>{texts.total(format.seconds(last.totalMs))}</span>}
          <span className="grow" />
          {last.requestId !== undefined && last.running !== true && (
            <Link href={`/console/requests/${last.requestId}`}>{texts.receipt}</Link>
          )}
        </footer>
      )}
    </section>
  );
}

export function Charged({ id }: { id: string }) {
  const texts = useTexts();
  const format = useFormat();
  const daily = useDaily(id);
  if (daily === undefined) return null;
  return daily.limit === null
    ? texts.todayFree(format.money(daily.spent))
    : texts.today(format.money(daily.spent), format.money(daily.limit));
}
