/** What stands where something is being read: the layout that comes, with bars in the place of its texts and figures. */
import { useShared } from '../texts/shared.ts';

type Shape =
  /** A head and panels, where nothing of the page is there yet. */
  | 'page'
  /** Panels without their head, where the page has its own. */
  | 'panels'
  /** Lines with a title and a text, as lists of rules have them. */
  | 'rows'
  /** Labels with their fields. */
  | 'form'
  /** Names with their values, as receipts have them. */
  | 'facts'
  /** A chart with its own grid. */
  | 'chart';

const ROWS = [0, 1, 2, 3, 4];

export function Skeleton({ shape }: { shape: Shape }) {
  const texts = useShared();
  return (
    <div className="waiting" role="status" aria-busy="true">
      <span className="vh">{texts.loading}</span>
      <div aria-hidden="true">
        {shape === 'page' ? <PageBars /> : shape === 'panels' ? <PanelBars /> : <Bars shape={shape} />}
      </div>
    </div>
  );
}

/** In place of a figure or a name inside something that is there. */
export function Bar({ width }: { width: 0 | 1 | 2 | 3 }) {
  return <span className={`skel w${width}`} />;
}

function PageBars() {
  return (
    <>
      <div className="page-head">
        <div className="stack gap-s">
          <span className="skel title" />
          <Bar width={1} />
        </div>
      </div>
      <PanelBars />
    </>
  );
}

function PanelBars() {
  return (
    <div className="stack">
      <section className="panel">
        <div className="cut cut-2">
          <div className="pad stack gap-m">
            <Bar width={0} />
            <span className="skel figure" />
          </div>
          <div className="pad stack gap-m">
            <Bar width={0} />
            <span className="skel figure" />
          </div>
        </div>
      </section>
      <section className="panel">
        <Bars shape="rows" />
      </section>
    </div>
  );
}

function Bars({ shape }: { shape: Exclude<Shape, 'page' | 'panels'> }) {
  if (shape === 'chart') return <div className="chart-bars" />;
  return (
    <div className={`bars of-${shape}`}>
      {ROWS.map((row) => (
        <div key={row}>
          <Bar width={row % 2 === 0 ? 1 : 2} />
          {shape === 'form' ? <span className="skel field-bar" /> : <Bar width={row % 2 === 0 ? 2 : 0} />}
        </div>
      ))}
    </div>
  );
}
