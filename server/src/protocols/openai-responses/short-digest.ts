/** FNV-1a, 32 bits, as seven letters: keeps the names and ids of one request apart when they must be cut. */
function shortDigest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, '0');
}

/** The text itself when it fits, otherwise its head and the digest of the whole. */
export function cutWithDigest(text: string, whole: string, maxLength: number): string {
  const digest = shortDigest(whole);
  return `${text.slice(0, maxLength - digest.length - 1)}_${digest}`;
}
