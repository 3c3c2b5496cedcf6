/** Headers as undici hands them over: names and values as bytes, alternating. */
type RawHeaders = readonly (Buffer | Buffer[])[];

export function readHeaders(raw: RawHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = valueText(raw[i] as Buffer).toLowerCase();
    const value = valueText(raw[i + 1] as Buffer | Buffer[]);
    const earlier = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = earlier === undefined ? value : `${earlier}, ${value}`;
  }
  return headers;
}

/** Decoding all headers costs microseconds, and a request asks for one or two: most are told apart by their length. */
export function findHeader(raw: RawHeaders, name: string): string | undefined {
  let found: string | undefined;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const candidate = raw[i] as Buffer;
    if (candidate.length !== name.length || valueText(candidate).toLowerCase() !== name) continue;
    const value = valueText(raw[i + 1] as Buffer | Buffer[]);
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

function valueText(value: Buffer | Buffer[]): string {
  return Array.isArray(value) ? value.map(valueText).join(', ') : value.toString('latin1');
}
