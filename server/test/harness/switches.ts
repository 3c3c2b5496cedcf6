/**
 * The whole suite also runs with Node's own reader and client: `DARGAH_LANE=off DARGAH_UPSTREAM_CLIENT=node npm test`. Gateways
 * under test, in this process or in others, get these variables and no other ones of this process.
 */
export function switches(): Record<string, string> {
  const names = ['DARGAH_LANE', 'DARGAH_UPSTREAM_CLIENT'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
