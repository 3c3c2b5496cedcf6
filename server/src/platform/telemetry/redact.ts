/**
 * The last defence of the log: whatever slipped into a line, keys and provider secrets do not leave the process.
 * The first defence is not to log them at all.
 */
const PATTERNS: readonly [RegExp, string][] = [
  [/\b(dg[mo]?|sk|pk|rk|xai|gsk|AIza|r8|hf)([-_])[A-Za-z0-9_\-.]{6,}/g, '$1$2…'],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, 'AIza…'],
  // Tokens of Google and of Entra, API keys and signatures of Amazon.
  [/\b(ya29\.|eyJ|ABSK)[A-Za-z0-9_\-.+/=]{10,}/g, '$1…'],
  [/\bSignature=[0-9a-f]{64}/g, 'Signature=…'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9_\-.~+/=]{6,}/gi, '$1 …'],
];

/** Shorter texts occur in ordinary lines; hiding them would only make the log unreadable. */
const MIN_SECRET_LENGTH = 6;
const MAX_SECRETS = 10_000;

export class Redactor {
  /** Longest first, so that a secret that contains another is hidden whole. */
  #secrets: string[] = [];

  /** Call for every provider secret, operator token and master key as soon as it is known. */
  registerSecret(text: string): void {
    if (text.length < MIN_SECRET_LENGTH || this.#secrets.length >= MAX_SECRETS) return;
    const escaped = JSON.stringify(text).slice(1, -1);
    for (const form of new Set([text, escaped])) if (!this.#secrets.includes(form)) this.#secrets.push(form);
    this.#secrets.sort((a, b) => b.length - a.length);
  }

  redact(line: string): string {
    let safe = line;
    for (const secret of this.#secrets) if (safe.includes(secret)) safe = safe.replaceAll(secret, '…');
    for (const [pattern, replacement] of PATTERNS) safe = safe.replace(pattern, replacement);
    return safe;
  }
}
