/** Values in the detail of a request, as SQL on `request_log`. */

/** The detail begins with the end user, where there is one, so nothing that a caller writes can come before it. */
export const USER_COLUMN = `substring(detail from '^\\{"user":"((?:[^"\\\\]|\\\\.)*)"')`;
/** The tags of a request as JSON; null where it has none. They come right after the end user, so nothing that a caller writes can be taken for them. */
export const TAGS_COLUMN = `(substring(detail from '^\\{(?:"user":"(?:[^"\\\\]|\\\\.)*",)?"tags":(\\[(?:"(?:[^"\\\\]|\\\\.)*",?)*\\])'))::jsonb`;
export const CACHED_TOKENS = `substring(detail from '"cacheRead":(\\d{1,12})')::bigint`;
/**
 * Every quotation mark inside a text is escaped, so nothing that a caller writes can be mistaken for these fields. Most
 * rows have neither, and looking for a word is much cheaper than matching a pattern.
 */
const whereThere = (field: string, pattern: string) =>
  `case when strpos(detail, '"${field}":') > 0 then substring(detail from '"${field}":"?(${pattern})') end`;
export const ASKED_CACHE = whereThere('responseCache', '[a-z]{3,6}');
export const CACHE_SAVED = `(${whereThere('cacheSaved', '-?\\d{1,18}')})::numeric`;

/** A text in the escaped form that it has inside the detail. */
export function escapedText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
