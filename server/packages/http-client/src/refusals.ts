/** Why an answer is not taken, and the bounds beyond which it is not. */

export const MAX_HEAD_BYTES = 64 * 1024;
/** Interim answers (100, 103) before the real one. One or two are usual. */
export const MAX_INTERIM = 16;

/** The server does not speak HTTP as this client understands it. */
export class MalformedResponse extends Error {
  readonly code: string;

  constructor(code: 'MALFORMED_HTTP' | 'HEAD_TOO_LARGE') {
    super(code);
    this.code = code;
  }
}

export function closedByServer(): Error {
  return Object.assign(new Error('connection closed'), { code: 'CLOSED_BY_SERVER' });
}
