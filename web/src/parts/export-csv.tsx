/** All rows that a filter finds, page by page into one file: shows how far it came, and can be stopped. */
import { useRef, useState } from 'react';
import { type Address, call, type Described, type Input, type Result } from '../api/call.ts';
import { useSayRefusal } from '../api/read.ts';
import { useFormat } from '../format.ts';
import { useShared } from '../texts/shared.ts';
import { Icon } from './icon.tsx';
import { downloadCsv } from './table.tsx';

type RowOf<D extends Described> = Result<D> extends { data: (infer Row)[] } ? Row : never;
type Cell = string | number | null;

export interface ExportCsvProps<D extends Described> {
  address: Address<D>;
  input: Omit<Input<D>, 'body' | 'signal'>;
  fileName: string;
  head: readonly string[];
  line(row: RowOf<D>): readonly Cell[];
  small?: boolean;
}

const MAX_PER_PAGE = 200;

export function ExportCsv<D extends Described>({ address, input, fileName, head, line, small }: ExportCsvProps<D>) {
  const shared = useShared();
  const format = useFormat();
  const say = useSayRefusal();
  const [read, setRead] = useState<number>();
  const stopper = useRef<AbortController>(undefined);
  const take = async () => {
    const stop = new AbortController();
    stopper.current = stop;
    const lines: (readonly Cell[])[] = [];
    setRead(0);
    try {
      let after: string | null = null;
      do {
        const query = {
          ...(input.query as object | undefined),
          limit: MAX_PER_PAGE,
          ...(after === null ? {} : { after }),
        };
        const page = (await call<D>(address, { ...input, query, signal: stop.signal } as unknown as Input<D>)) as {
          data: RowOf<D>[];
          next: string | null;
        };
        for (const row of page.data) lines.push(line(row));
        setRead(lines.length);
        after = page.next;
      } while (after !== null);
      downloadCsv(fileName, head, lines);
    } catch (error) {
      if (!stop.signal.aborted) say(error);
    } finally {
      setRead(undefined);
    }
  };
  const kind = small === true ? 'btn small' : 'btn';
  if (read === undefined)
    return (
      <button type="button" className={kind} onClick={() => void take()}>
        <Icon name="save" />
        <span dir="ltr">{shared.csv}</span>
      </button>
    );
  return (
    <span className="row keep exporting">
      <output className="xs mid">{shared.rows(format.number(read))}</output>
      <progress className="bar-progress" aria-label={shared.exporting} />
      <button type="button" className={kind} onClick={() => stopper.current?.abort()}>
        {shared.stop}
      </button>
    </span>
  );
}
