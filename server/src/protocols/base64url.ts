/** Turns text into URL-safe letters and back, for opaque values that must survive in identifiers. */

export function toBase64Url(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns undefined when it is not the output of toBase64Url. */
export function fromBase64Url(letters: string): string | undefined {
  try {
    const bytes = atob(letters.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes, (character) => character.charCodeAt(0)),
    );
  } catch {
    return undefined;
  }
}
