/** A report as a file: the server writes it, so that it may be long. */
import { useFormat } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { useShared } from '../../texts/shared.ts';

export function CsvLink({
  report,
  query,
  name,
}: {
  report: string;
  query: Record<string, string | number | undefined>;
  name?: string;
}) {
  const shared = useShared();
  const { language } = useFormat();
  const all: Record<string, string | number | undefined> = { ...query, language };
  const given = Object.entries(all).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, String(value)]],
  );
  return (
    <a className="btn small" href={`/api/admin/books/files/${report}?${new URLSearchParams(given)}`} download>
      <Icon name="save" />
      <span dir={name === undefined ? 'ltr' : undefined}>{name ?? shared.csv}</span>
    </a>
  );
}
