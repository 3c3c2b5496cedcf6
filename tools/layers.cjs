/**
 * The layers of all three sides, as a check that fails. Arrows point from right to left:
 *   packages:  core ← api
 *   server:    core ← protocols ← vendors;  core ← platform;  core, protocols, vendors, platform ← domains ← gateway ← http ← wiring ← main
 *   web:       parts, texts, api ← shell, sign-in, security ← console;  the same ← operator
 * packages/core is seen by everybody, packages/api by http and the web.
 */
const DOMAINS =
  'catalog|keys|admission|ledger|routing|knowledge|requestlog|responses|idempotency|accounts|tracing|payments|people|messages|notices|support|uptime|reasoning|branding|accounting|setup|lists|privacy|replay|responsecache|conformance|guarantee|batches|pictures';

/** Each folder of the gateway that is no step of the request path is an endpoint. */
const ENDPOINTS = '(?!(?:admit|attempt|paid|settle)/)[^/]+';

const layer = (name, comment, from, allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^server/src/', pathNot: allowed },
});

module.exports = {
  forbidden: [
    layer(
      'core-imports-nothing',
      'core is the vocabulary of everything else; it must be readable and testable alone.',
      '^server/src/core/',
      '^server/src/core/',
    ),
    layer(
      'protocols-are-pure',
      'a codec that could do I/O could not be replayed over recorded bytes.',
      '^server/src/protocols/',
      '^server/src/(core|protocols)/',
    ),
    layer(
      'vendors-are-data',
      'a vendor names a protocol and quirks; it must not reach into the machine.',
      '^server/src/vendors/',
      '^server/src/(core|protocols|vendors)/',
    ),
    layer(
      'platform-knows-no-domain',
      'sockets, files and databases serve every domain and know none.',
      '^server/src/platform/',
      '^server/src/(core|platform)/',
    ),
    layer(
      'domains-below-gateway',
      'a domain that imports the request path would turn the arrows round.',
      `^server/src/(${DOMAINS})/`,
      `^server/src/(core|protocols|vendors|platform|${DOMAINS})/`,
    ),
    layer(
      'config-is-read-first',
      'configuration is read before anything is built.',
      '^server/src/config/',
      `^server/src/(core|protocols|vendors|config|platform|${DOMAINS})/`,
    ),
    layer(
      'gateway-below-http',
      'the request path must run without a web server, as it does in tests.',
      '^server/src/gateway/',
      `^server/src/(core|protocols|vendors|config|platform|gateway|${DOMAINS})/`,
    ),
    layer(
      'http-below-wiring',
      'endpoints get what they need handed in; they construct nothing.',
      '^server/src/http/',
      `^server/src/(core|protocols|vendors|config|platform|gateway|http|${DOMAINS})/`,
    ),
    layer(
      'processes-know-no-request',
      'the supervisor must start and outlive its processes without loading what they serve.',
      '^server/src/processes/',
      '^server/src/(core|platform|processes)/',
    ),
    layer(
      'wiring-below-main',
      'what constructs everything is handed its configuration; only the starts of programs know it.',
      '^server/src/wiring/',
      `^server/src/(core|protocols|vendors|config|platform|gateway|http|processes|wiring|${DOMAINS})/|^server/src/(live-numbers|live-retention|live-settings|startup)[.]ts$`,
    ),
    {
      name: 'packages-stand-alone',
      comment: 'a package of the repository could be used by another program; it knows nothing of this one.',
      severity: 'error',
      from: { path: '^server/packages/([^/]+)/src/' },
      to: { pathNot: ['^server/packages/$1/src/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'packages-through-their-names',
      comment: "a package's inside is its own business.",
      severity: 'error',
      from: { path: '^server/src/' },
      to: { path: '^server/packages/', pathNot: '/src/index\\.ts$' },
    },
    {
      name: 'packages-by-name',
      comment: 'a path that climbs out of its package breaks when either side is moved; the name does not.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|server|web)/' },
      to: { path: '^(packages|server|web)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'core-package-imports-nothing',
      comment: 'server, contract and browser take it as it is: plain data and what reads it.',
      severity: 'error',
      from: { path: '^packages/core/' },
      to: { pathNot: '^packages/core/' },
    },
    {
      name: 'contract-is-data',
      comment: 'a description that could run something could not be read by the browser, nor be proved by its type.',
      severity: 'error',
      from: { path: '^packages/api/' },
      to: { pathNot: ['^packages/(api|core)/', '^node_modules/typebox/'] },
    },
    {
      name: 'contract-is-for-http',
      comment: 'a domain that knew how it is answered over HTTP could not be answered otherwise.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '^server/src/http/' },
      to: { path: '^packages/api/' },
    },
    {
      name: 'web-knows-the-contract-alone',
      comment: 'the browser calls the server by what is published of it.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^server/' },
    },
    {
      name: 'web-areas-apart',
      comment:
        'console and operator share parts and texts, never each other: a page of one is changed without a look at the other.',
      severity: 'error',
      from: { path: '^web/src/(console|operator)/' },
      to: { path: '^web/src/(console|operator)/', pathNot: '^web/src/$1/' },
    },
    {
      name: 'web-frame-below-areas',
      comment:
        'both areas stand in the same frame and use the same parts, so these know the pages of neither. The start of an area and what the build renders of one name it.',
      severity: 'error',
      from: {
        path: '^web/src/',
        pathNot: '^web/src/(console|operator)/|^web/src/(main-console|main-operator|prerender)[.]tsx$',
      },
      to: { path: '^web/src/(console|operator)/' },
    },
    {
      name: 'web-parts-below-all',
      comment: 'a part that knew the frame or a page could not be used by the next.',
      severity: 'error',
      from: { path: '^web/src/(parts|texts|api|style|dev)/' },
      to: { path: '^web/src/(shell|sign-in|security)/' },
    },
    {
      name: 'site-stands-alone',
      comment: 'public pages load this script and nothing of the application.',
      severity: 'error',
      from: { path: '^web/src/site/' },
      to: { pathNot: ['^web/src/site/', '^packages/core/'] },
    },
    {
      name: 'gateway-sees-ports',
      comment: 'the database and Redis are never on the request path.',
      severity: 'error',
      from: { path: '^server/src/gateway/' },
      to: { path: '^server/src/platform/(db|redis)/|node_modules/(pg|ioredis)/' },
    },
    {
      name: 'settle-below-admit',
      comment: 'a refusal is written by settle/record.ts, so settling must not need the way in.',
      severity: 'error',
      from: { path: '^server/src/gateway/settle/' },
      to: { path: `^server/src/gateway/(admit|attempt|paid|${ENDPOINTS})/` },
    },
    {
      name: 'the-paid-path-knows-no-endpoint',
      comment:
        'an endpoint hands its functions to the paid path; a path that named endpoints would have to change with each.',
      severity: 'error',
      from: { path: '^server/src/gateway/(admit|attempt|paid)/' },
      to: { path: `^server/src/gateway/(${ENDPOINTS})/` },
    },
    {
      name: 'endpoints-ask-no-provider',
      comment:
        'an endpoint says what is asked (attempt/question.ts) and the path asks it, so a request never jumps back. The responses of a realtime session begin at the provider, so the session admits them itself (ADR 0073).',
      severity: 'error',
      from: { path: `^server/src/gateway/(${ENDPOINTS})/`, pathNot: '^server/src/gateway/realtime/' },
      to: {
        path: '^server/src/gateway/attempt/(attempt-routes|try-route|hedge|call-provider)[.]ts$|^server/src/gateway/admit/admit[.]ts$',
      },
    },
    {
      name: 'domains-meet-through-index',
      comment: "a domain's inside is its own business.",
      severity: 'error',
      from: { path: `^server/src/(${DOMAINS})/` },
      to: { path: `^server/src/(${DOMAINS})/`, pathNot: [`^server/src/$1/`, '/index\\.ts$'] },
    },
    {
      name: 'accounting-on-top',
      comment: 'accounting reads what money did everywhere; a domain that asked it back would turn the arrows round.',
      severity: 'error',
      from: { path: `^server/src/(${DOMAINS})/`, pathNot: '^server/src/accounting/' },
      to: { path: '^server/src/accounting/' },
    },
    {
      name: 'domains-through-index-from-above',
      comment: 'gateway and http use what a domain offers, not how it does it.',
      severity: 'error',
      from: { path: '^server/src/(gateway|http)/' },
      to: { path: `^server/src/(${DOMAINS})/`, pathNot: '/index\\.ts$' },
    },
    {
      name: 'core-and-protocols-need-no-package',
      comment: 'the pure middle has no dependency that could change under it.',
      severity: 'error',
      from: { path: '^server/src/(core|protocols|vendors)/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'core'] },
    },
    {
      name: 'no-cycles',
      comment: 'a cycle has no first page to read.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
