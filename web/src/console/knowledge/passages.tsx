/** A document as the search sees it: its passages in order, as they were cut. The address names the document. */
import type { listPassages } from '../../../../server/src/http/console/routes/knowledge.ts';
import { usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { MoreButton } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useWords } from './words.ts';

export function Passages({
  base,
  document,
  name,
  onClose,
}: {
  base: string;
  document: string;
  name: string;
  onClose(): void;
}) {
  const words = useWords();
  const format = useFormat();
  const list = usePages<typeof listPassages>('GET /api/console/knowledge-bases/:id/documents/:document/passages', {
    params: { id: base, document },
    query: { limit: 50 },
  });
  return (
    <Drawer title={<bdi>{name}</bdi>} onClose={onClose}>
      {list.error !== null && <Trouble error={list.error} again={() => void list.refetch()} />}
      {list.rows === undefined && list.error === null && (
        <section>
          <span className="skel block" />
        </section>
      )}
      {list.rows?.map(({ place, page, heading, text, tokens }) => (
        <section key={place} className="stack s">
          <div className="row between xs dim">
            <span>
              {words.passage(format.number(place))}
              {heading !== null && (
                <>
                  {' · '}
                  <bdi>{heading}</bdi>
                </>
              )}
              {page !== null && ` · ${words.page(format.number(page))}`}
            </span>
            <span>{words.tokens(format.number(tokens))}</span>
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
