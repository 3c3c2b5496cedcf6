/** A book by the name that the chart of accounts has for it, and which of many it is: "Bank accounts · melli". */
import { bookOfLine, partOf } from '@dargah/core/chart.ts';
import { useFormat } from '../format.ts';
import { Id } from '../parts/copyable.tsx';

export function BookName({ book }: { book: string }) {
  const { language } = useFormat();
  const known = bookOfLine(book);
  if (known === undefined) return <Id value={book} />;
  const part = partOf(book);
  return (
    <>
      {known.name[language]}
      {part !== undefined && (
        <>
          {' · '}
          <Id value={part} />
        </>
      )}
    </>
  );
}
