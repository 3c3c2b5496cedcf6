/**
 * Arguments of a call that Vertex streams piece by piece (`partialArgs`): each piece names a path in the arguments and
 * a value, and a text may come in several pieces. They go out as one JSON text when the call ends.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';

type Step = string | number;

/** No tool has deeper arguments; a bound is needed, since the path comes from outside. */
const MAX_DEPTH = 100;
const ROOT = '$';
/** `.name`, `[0]`, `['name']` or `["name"]`. */
const STEP = /\.([^.[\]]{1,256})|\[(\d{1,6})\]|\['([^']{0,256})'\]|\["([^"]{0,256})"\]/y;

export class PartialArgs {
  /** It has no prototype, because a piece may name any path, `__proto__` too. */
  readonly #args: JsonObject = Object.create(null) as JsonObject;

  /** Takes whole arguments, which some pieces carry. */
  merge(args: Json | undefined): void {
    if (isJsonObject(args)) for (const name of Object.keys(args)) this.#args[name] = args[name];
  }

  /** Returns false when a piece cannot be placed: arguments without it would look complete. */
  add(pieces: Json | undefined): boolean {
    if (!Array.isArray(pieces)) return pieces === undefined || pieces === null;
    return pieces.every((piece) => isJsonObject(piece) && this.#addPiece(piece));
  }

  text(): string {
    return JSON.stringify(this.#args);
  }

  #addPiece(piece: JsonObject): boolean {
    const value = givenValue(piece);
    // A piece without a value announces a path.
    if (value === undefined) return true;
    const steps = stepsOf(piece['jsonPath']);
    return steps !== undefined && place(this.#args, steps, value);
  }
}

function givenValue(piece: JsonObject): Json | undefined {
  if (piece['nullValue'] !== undefined) return null;
  return piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue'];
}

function stepsOf(path: Json | undefined): Step[] | undefined {
  if (typeof path !== 'string' || !path.startsWith(ROOT)) return undefined;
  const steps: Step[] = [];
  for (let at = ROOT.length; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const [, name, index, quoted, doubleQuoted] = STEP.exec(path) ?? [];
    const step = index === undefined ? (name ?? quoted ?? doubleQuoted) : Number(index);
    if (step === undefined || steps.length === MAX_DEPTH) return undefined;
    steps.push(step);
  }
  return steps.length === 0 ? undefined : steps;
}

function place(root: JsonObject, steps: readonly Step[], value: Json): boolean {
  let parent: Json = root;
  for (const [depth, step] of steps.entries()) {
    if (!fits(parent, step)) return false;
    const holder = parent as Record<Step, Json>;
    const known = holder[step];
    if (depth === steps.length - 1) {
      // This is the next piece of a text whose beginning stands there.
      holder[step] = typeof known === 'string' && typeof value === 'string' ? known + value : value;
      return true;
    }
    parent = known ?? (typeof steps[depth + 1] === 'number' ? [] : (Object.create(null) as JsonObject));
    holder[step] = parent;
  }
  return false;
}

/** A list grows by one entry at a time: an index far beyond its end would allocate a huge array. */
function fits(parent: Json, step: Step): boolean {
  if (typeof step === 'number') return Array.isArray(parent) && step <= parent.length;
  return isJsonObject(parent);
}
