/** The parser of HTML and XML, loaded with the first document that needs it. */
import { createRequire } from 'node:module';

type Library = typeof import('htmlparser2');

export function tagParser(): Library['Parser'] {
  const library: Library = createRequire(import.meta.url)('htmlparser2');
  return library.Parser;
}
