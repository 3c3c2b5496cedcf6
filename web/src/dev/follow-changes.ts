/**
 * Stands in every script of `npm run dev` and in no other build: a style that changed is exchanged in the open page, which keeps
 * what was typed and unfolded; a script that changed, or a server that started again, loads the page anew.
 */
interface Built {
  styles: string[];
  scripts: string[];
}

let first: Built | undefined;

const changes = new EventSource('/assets/changes');
changes.addEventListener('message', ({ data }: MessageEvent<string>) => {
  const now = JSON.parse(data) as Built;
  const before = first;
  first = now;
  if (before === undefined) return;
  if (JSON.stringify(now.scripts) !== JSON.stringify(before.scripts)) location.reload();
  else for (const style of now.styles) exchange(style);
});
// A second connection is one to a server that started again: what it renders may have changed too.
changes.addEventListener('open', () => {
  if (first !== undefined) location.reload();
});

/** `app-1A2B3C4D.css` takes the place of the stylesheet of the same stem. The old one stays until the new one is there. */
function exchange(style: string): void {
  const stem = style.replace(/-[A-Z0-9]+\.css$/, '');
  for (const link of document.querySelectorAll<HTMLLinkElement>(`link[rel="stylesheet"][href^="/assets/${stem}-"]`)) {
    const address = `/assets/${style}`;
    if (link.getAttribute('href') === address) continue;
    const next = link.cloneNode() as HTMLLinkElement;
    next.href = address;
    next.addEventListener('load', () => link.remove());
    link.after(next);
  }
}
