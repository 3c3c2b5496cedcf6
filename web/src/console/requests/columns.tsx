/** The columns of the log, on its own page and on the overview. */
import type { LiveRequest } from '../../api/live.tsx';
import { useFormat } from '../../format.ts';
import { ModelName } from '../../parts/copyable.tsx';
import { AmountCell } from '../../parts/figures.tsx';
import { Pill } from '../../parts/pill.tsx';
import type { Column } from '../../parts/table.tsx';
import { useStateOf } from '../../texts/request-texts.ts';
import { useTexts } from './texts.ts';

export function useRequestColumns(keyName: (id: string) => string): Column<LiveRequest>[] {
  const texts = useTexts();
  const format = useFormat();
  const stateOf = useStateOf();
  const tokens = ({ input_tokens: input, output_tokens: output }: LiveRequest) =>
    input === null && output === null ? '—' : format.number((input ?? 0) + (output ?? 0));
  return [
    {
      id: 'created_at',
      head: texts.time,
      fold: 'c3',
      className: 'nowrap mid tnum',
      cell: ({ created_at: at }) => (
        <time dateTime={at} title={`${format.dateTime(at)} · ${format.elsewhere(at)}`}>
          {isToday(at) ? format.clock(at) : `${format.monthDay(at)} ${format.clock(at).slice(0, 5)}`}
        </time>
      ),
    },
    {
      id: 'state',
      head: texts.state,
      fold: 'c4',
      cell: (request) => {
        const { tone, word } = stateOf(request);
        return <Pill tone={tone}>{word}</Pill>;
      },
    },
    { id: 'model', head: texts.model, fold: 'c1', cell: ({ model }) => <ModelName id={model} /> },
    { id: 'key', head: texts.key, spare: true, cell: ({ key_id: id }) => <bdi>{keyName(id)}</bdi> },
    { id: 'tokens', head: texts.tokens, number: true, spare: true, cell: tokens },
    {
      id: 'duration_ms',
      head: texts.total,
      number: true,
      spare: true,
      cell: ({ duration_ms: ms }) => format.seconds(ms),
    },
    { id: 'cost', head: texts.cost, number: true, fold: 'c2', cell: ({ cost }) => <AmountCell value={cost} /> },
  ];
}

function isToday(at: string): boolean {
  return Date.now() - new Date(at).getTime() < 20 * 3_600_000;
}
