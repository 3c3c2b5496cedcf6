/** A way out as the operator writes it: `direct`, `http://user:password@host:3128`, `socks5h://host:1080`. */

export type EgressKind = 'direct' | 'http' | 'https' | 'socks5' | 'socks5h';

export interface Egress {
  /** The address without its password: what receipts, logs and the console show. */
  name: string;
  kind: EgressKind;
  host: string;
  port: number;
  username: string | undefined;
  password: string | undefined;
}

export const DIRECT_WAY = 'direct';

export const DIRECT: Egress = {
  name: DIRECT_WAY,
  kind: 'direct',
  host: '',
  port: 0,
  username: undefined,
  password: undefined,
};

const PORTS: Record<string, number> = { http: 80, https: 443, socks5: 1080, socks5h: 1080 };
/** `socks` in common use means: names are resolved by the proxy. */
const ALIASES: Record<string, EgressKind> = { socks: 'socks5h' };

/** A text says what is wrong with it; it never repeats the address, which may hold a password. */
export function readEgress(text: string): Egress | string {
  const trimmed = text.trim();
  if (trimmed === 'direct') return DIRECT;
  const scheme = /^([a-z0-9]+):\/\//i.exec(trimmed)?.[1]?.toLowerCase() ?? '';
  const kind = ALIASES[scheme] ?? (scheme in PORTS ? (scheme as EgressKind) : undefined);
  if (kind === undefined)
    return 'must be direct or an address beginning with http://, https://, socks5:// or socks5h://';
  // URL knows default ports and brackets only of the schemes of the web.
  const asHttp = `http${trimmed.slice(trimmed.indexOf('://'))}`;
  if (!URL.canParse(asHttp)) return 'is not a valid address';
  const url = new URL(asHttp);
  if (url.hostname === '' || url.pathname !== '/' || url.search !== '')
    return 'must be an address of a proxy, without a path';
  const username = decoded(url.username);
  const password = decoded(url.password);
  if ((username?.length ?? 0) > 255 || (password?.length ?? 0) > 255) return 'has a name or password that is too long';
  const written = /:(\d+)\/?$/.exec(trimmed)?.[1];
  const port = written === undefined ? (PORTS[kind] as number) : Number(written);
  if (port < 1 || port > 65_535) return 'has a port that does not exist';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const who = username === undefined ? '' : `${encodeURIComponent(username)}${password === undefined ? '' : ':…'}@`;
  return { name: `${kind}://${who}${url.hostname}:${port}`, kind, host, port, username, password };
}

function decoded(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
