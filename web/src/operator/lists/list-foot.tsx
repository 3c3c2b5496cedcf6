/** Under a list: how many there are, how far was looked, and more of them. */
import { useFormat } from '../../format.ts';
import { MoreButton } from '../../parts/table.tsx';
import { useListTexts } from './texts.ts';

interface PageFacts {
  searched_back_to: string | null;
  total: { count: number; more: boolean } | null;
}

export function ListFoot({
  list,
}: {
  list: {
    firstPage: PageFacts | undefined;
    lastPage: PageFacts | undefined;
    more: boolean;
    loadingMore: boolean;
    onMore(): void;
  };
}) {
  const texts = useListTexts();
  const format = useFormat();
  const total = list.firstPage?.total ?? null;
  const back = list.lastPage?.searched_back_to ?? null;
  const count = total === null ? undefined : format.number(total.count);
  return (
    <>
      {back !== null && list.more ? (
        <>
          <span className="xs mid" role="status">
            {texts.searchedBackTo(format.dateTime(back))}
          </span>
          <button type="button" className="btn small" disabled={list.loadingMore} onClick={list.onMore}>
            {texts.goOn}
          </button>
        </>
      ) : (
        <MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />
      )}
      {count !== undefined && total !== null && (
        <span className="xs mid">{total.more ? texts.moreThan(count) : texts.total(count)}</span>
      )}
    </>
  );
}

/** Names of all pages read so far. */
export function namesIn(pages: readonly { names: Record<string, string> }[] | undefined): Record<string, string> {
  return Object.assign({}, ...(pages ?? []).map(({ names }) => names)) as Record<string, string>;
}
