/** Pages are rendered once for each change of what they show, and not for each reader: rendering takes tens of milliseconds. */
import type { Language } from '../../core/errors.ts';
import type { RouteDescription } from '../routes/describe-route.ts';
import { CATALOG_FIELDS, catalogPage, type ShownCatalog } from './catalog.ts';
import type { PageRequest } from './layout.ts';
import { html, Markup } from './markup.ts';
import { referencePage } from './reference.ts';

/** Stands in the rendered page for the reader's own address of us. No character of it is changed by escaping. */
const ORIGIN = 'origin--of--the--reader';
/** Different questions asked of one catalog: whoever asks more of them waits for a rendering each, made from kept rows. */
const MAX_CATALOG_PAGES = 200;

export class ReferencePages {
  readonly #pages = new Map<Language, string>();

  page({ language, origin }: PageRequest, endpoints: () => readonly RouteDescription[]): Markup {
    let text = this.#pages.get(language);
    if (text === undefined) {
      text = referencePage({ language, query: new URLSearchParams(), origin: ORIGIN }, endpoints()).text;
      this.#pages.set(language, text);
    }
    return new Markup(text.replaceAll(ORIGIN, () => html`${origin}`.text));
  }
}

export class CatalogPages {
  readonly #pages = new Map<string, Markup>();
  #snapshot: ShownCatalog | undefined;

  page({ language, query, origin }: PageRequest, snapshot: ShownCatalog): Markup {
    if (this.#snapshot !== snapshot) this.#pages.clear();
    this.#snapshot = snapshot;
    const asked = new URLSearchParams();
    for (const field of CATALOG_FIELDS) {
      const value = query.get(field);
      if (value) asked.set(field, value.slice(0, 100));
    }
    const name = `${language}?${asked.toString()}`;
    const known = this.#pages.get(name);
    if (known) return known;
    const page = catalogPage({ language, query: asked, origin }, snapshot);
    if (this.#pages.size >= MAX_CATALOG_PAGES) this.#pages.clear();
    this.#pages.set(name, page);
    return page;
  }
}
