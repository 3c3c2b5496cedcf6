/**
 * A document as the search sees it: its passages in order. The address names the document, and may name one passage.
 */
import type { getDocument, listPassages } from '@dargah/api/console/knowledge.ts';
import { usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { MoreButton } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { pageText, usePassageTexts } from '../../texts/passage-texts.ts';
import { useTexts } from './texts.ts';

export function Passages({
  base,
  document,
  place: wanted = 1,
  onStart,
  onClose,
}: {
  base: string;
  document: string;
  /** The passage to begin at, from 1. */
  place?: number | undefined;
  onStart(): void;
  onClose(): void;
}) {
  const texts = useTexts();
  const where = usePassageTexts();
  const format = useFormat();
  const params = { id: base, document };
  const read = useRead<typeof getDocument>('GET /api/console/knowledge-bases/:id/documents/:document', { params });
  const list = usePages<typeof listPassages>('GET /api/console/knowledge-bases/:id/documents/:document/passages', {
    params,
    // The cursor counts from 0 and names the last passage before the page.
    query: { limit: 50, ...(wanted > 1 && { after: String(wanted - 2) }) },
  });
  return (
    <Drawer title={<bdi>{read.data?.name}</bdi>} onClose={onClose}>
      {list.error !== null && list.rows === undefined && (
        <Trouble error={list.error} again={() => void list.refetch()} />
      )}
      {list.rows === undefined && list.error === null && (
        <section>
          <Skeleton shape="rows" />
        </section>
      )}
      {wanted > 1 && list.rows !== undefined && (
        <section>
          <button type="button" className="btn small" onClick={onStart}>
            {texts.fromStart}
          </button>
        </section>
      )}
      {list.rows?.map(({ place, page, heading, text, tokens }) => (
        <section key={place} className="stack gap-s">
          <div className="row between xs dim">
            <span>
              {where.passage(format.number(place))}
              {heading !== null && (
                <>
                  {' · '}
                  <bdi>{heading}</bdi>
                </>
              )}
              {page !== null && ` · ${pageText(where, read.data?.name, format.number(page))}`}
            </span>
            <span>{where.tokens(format.number(tokens))}</span>
          </div>
          <p dir="auto" className="pre text">
            {text}
          </p>
        </section>
      ))}
      {list.more && (
        <section>
          <MoreButton more busy={list.loadingMore} onMore={list.onMore} />
        </section>
      )}
    </Drawer>
  );
}
