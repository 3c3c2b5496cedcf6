/**
 * Flags of the engine, per major version of Node. A version that was not measured gets none: a flag may mean another thing there,
 * or nothing. `docs/performance.md` has the measurements; `node bench/v8.mjs` makes them again and is run before a version is
 * added here. `DARGAH_V8_FLAGS` replaces the list (an empty text: no flags).
 */
import { setFlagsFromString } from 'node:v8';

const GARBAGE_OF_REQUESTS = [
  // V8 would allocate objects of a busy minute straight into its old generation. They die at once all the same, and until the
  // next full collection they keep everything alive that they point to.
  '--no-allocation-site-pretenuring',
  // A small collection copies so little that waking a second thread for it would take longer.
  '--no-parallel-scavenge',
  // By default the heap may double before it is swept, which with thousands of open streams is mostly garbage. With 20 bodies of
  // 200 KB cost a third more: each of them is a twentieth of what may grow.
  '--heap-growing-percent=40',
];

/**
 * Maglev, which 20 does not use, frees the memory of a compilation on another thread than the one that took it. The C library
 * then keeps both: 35 MB after 100,000 chats.
 */
const MAGLEV = ['--no-maglev-destroy-on-background'];

const INLINING = [
  // The request path is written as many small functions. With these limits V8 compiles more of them into one than by default.
  '--max-inlined-bytecode-size=1000',
  '--max-inlined-bytecode-size-cumulative=2500',
];

const PAUSES = [
  // In a pause V8 would collect in full several times and forget compiled code, and the next requests would pay for it.
  '--no-memory-reducer',
  '--no-flush-bytecode',
];

/**
 * `npm start` gives the sizes of the young generation on the command line, for the event loop's thread. Set back for threads that
 * begin later, because they would stand above the limit that each of them has of its own (`resourceLimits`).
 */
const SIZES_OF_THREADS = ['--max-semi-space-size=0', '--min-semi-space-size=0'];

/**
 * A start has collected in full before `--no-memory-reducer` is set, and two more collections of the reducer wait for a pause since
 * then. They forget shapes of objects that no request has at that moment, and compiled code of 300 functions with them. 20 has no
 * such flag.
 */
const NO_PAUSE_AFTER_START = ['--memory-reducer-gc-count=0'];

/**
 * What runs once per request is compiled by the last compiler after 4,000 requests instead of 10,000; the compiler has as much to
 * do. Node 20 does so by itself.
 */
const COMPILED_EARLY = ['--invocation-count-for-turbofan=1000'];

const PROFILES = {
  20: [...GARBAGE_OF_REQUESTS, ...INLINING, ...PAUSES],
  24: [...GARBAGE_OF_REQUESTS, ...MAGLEV, ...INLINING, ...PAUSES, ...NO_PAUSE_AFTER_START, ...COMPILED_EARLY],
};

/**
 * Node 24 takes 600 MB for about two seconds to optimise one function of the embedded database, its SQL parser, soon after every
 * start (20, 22 and 26 take 8 MB). A container with less would be killed each time. There the database keeps its first code:
 * statements take two to three times as long, which a small installation does not notice.
 */
const LITTLE_MEMORY = { 24: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'] };
const LITTLE_BYTES = 2 ** 30;

/** What the container allows; none where there is no container. */
function memoryLimit() {
  return process.constrainedMemory?.() || Number.POSITIVE_INFINITY;
}

const hasLittleMemory = (bytes = memoryLimit()) => bytes < LITTLE_BYTES;

const ofMajor = (lists, version = process.versions.node) => lists[Number.parseInt(version, 10)] ?? [];

export function profileOf(version, bytes) {
  return [...ofMajor(PROFILES, version), ...(hasLittleMemory(bytes) ? ofMajor(LITTLE_MEMORY, version) : [])];
}

/** For the command line of another process. */
export function profileArguments(given = process.env.DARGAH_V8_FLAGS) {
  return given === undefined ? profileOf() : given.split(/\s+/).filter((flag) => flag !== '');
}

function set(flags) {
  for (const flag of flags) setFlagsFromString(flag);
}

/**
 * First of all. What is right for requests waits until the service runs: Node and this program keep compiled code, which V8 takes
 * only under the flags it was made with, and Node made its own with none.
 */
export function prepareStart() {
  if (process.execArgv.some((flag) => flag.startsWith('--min-semi-space-size='))) set(SIZES_OF_THREADS);
  if (process.env.DARGAH_V8_FLAGS !== undefined) set(profileArguments());
  else if (hasLittleMemory()) set(ofMajor(LITTLE_MEMORY));
}

/**
 * For code that a later start takes. A running service has set this flag (platform/young-generation.ts), and sets it again within a
 * second.
 */
export function underStartFlags(work) {
  set(['--semi-space-growth-factor=2']);
  work();
}

/** Once the service runs. */
export function applyProfile() {
  if (process.env.DARGAH_V8_FLAGS === undefined) set(profileOf());
}
