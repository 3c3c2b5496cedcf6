/** The parts of every page: head, panels, notes, and what is shown where there is nothing yet. */
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

export function PageHead({ title, lead, children }: { title: ReactNode; lead?: ReactNode; children?: ReactNode }) {
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <p>{lead}</p>}
      </div>
      {children !== undefined && <div className="row">{children}</div>}
    </div>
  );
}

export function Panel({
  title,
  aside,
  ruled = true,
  label,
  children,
}: {
  title?: ReactNode;
  aside?: ReactNode;
  ruled?: boolean;
  label?: string;
  children: ReactNode;
}) {
  return (
    <section className="panel" aria-label={label ?? (typeof title === 'string' ? title : undefined)}>
      {title !== undefined && (
        <div className={ruled ? 'head ruled' : 'head'}>
          <h2>{title}</h2>
          {aside !== undefined && <div className="end">{aside}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

export function Note({ tone, children }: { tone: 'warn' | 'info'; children: ReactNode }) {
  return (
    <div className={`note is-${tone}`}>
      <Icon name={tone === 'warn' ? 'warn' : 'info'} />
      <div>{children}</div>
    </div>
  );
}

export function Empty({
  title,
  text,
  children,
  page = false,
}: {
  title: string;
  text: string;
  children?: ReactNode;
  /** It is the only thing on the page, so its title is the page's. */
  page?: boolean;
}) {
  const Title = page ? 'h1' : 'h2';
  return (
    <div className="empty">
      <Title>{title}</Title>
      <p>{text}</p>
      {children !== undefined && <div className="row">{children}</div>}
    </div>
  );
}
