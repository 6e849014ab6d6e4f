import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { Rules, Subresource } from '../parts.ts';
import { admittingOf } from '../pipeline/admitting.ts';
import { unkeyable } from '../pipeline/key-name.ts';
import { receiving, through, warned } from '../pipeline/steps.ts';
import type { Draft, Write } from '../pipeline/write.ts';
import { isRefusal, notAllowed, notFound, type Refusal } from '../refusal.ts';
import { keyOf, objectOf } from '../store/stored.ts';
import { actingOf } from './acting.ts';
import { viewing } from './viewed.ts';
import { type Answer, type Asked, type World, warningHeaders } from './world.ts';
import { objectOfBody, writeOf } from './writes.ts';

type Action = Subresource & {
  readonly shape: 'action';
  /** As what admission is asked of it, where that is not the part of what it happens to. */
  readonly admittedAs?: Asked['of'];
};

/** Something happens: it is asked of admission like the making of an object. */
export async function acted(action: Action, asked: Asked, world: World): Promise<Answer | Refusal> {
  const { of, route, verb, user } = asked;
  if (verb !== action.verb) return notAllowed;
  const { name = '', namespace, version, subresource } = route;
  const write = writeOf({ ...asked, verb: 'create' }, world);
  if (isRefusal(write)) return write;
  const acting = actingOf(world, { user, dryRun: write.options.dryRun });
  const on = () => {
    const stored = of.find(keyOf(namespace, name));
    return stored === undefined
      ? (unkeyable(name) ?? notFound({ ...of.kind, name }))
      : objectOf(stored, of.kind, version);
  };
  if (verb === 'get') {
    const there = on();
    if (isRefusal(there)) return there;
    return answered(await action.act(Object.fromEntries(asked.query), there, acting), 200);
  }
  const read = await received(action, asked, { ...write, subresource });
  if (isRefusal(read)) return read;
  const { admittedAs } = action;
  const asWhat =
    admittedAs === undefined ? { subresource } : { of: admittedAs, subresource: undefined };
  const admitted = await admittedAction(action, read, { ...write, ...asWhat });
  if (isRefusal(admitted)) return warned(admitted, read.warnings);
  const there = on();
  if (isRefusal(there)) return warned(there, read.warnings);
  const answer = answered(await action.act(admitted, there, acting), 201);
  if (isRefusal(answer)) return warned(answer, read.warnings);
  return { ...answer, headers: { ...answer.headers, ...warningHeaders(read.warnings) } };
}

/** Read, completed and owned as an object is. */
async function received(
  { type, alsoAs, completed = asItIs }: Action,
  asked: Asked,
  write: Write,
): Promise<Draft | Refusal> {
  const sent = await objectOfBody(asked, type.kind);
  if (isRefusal(sent)) return sent;
  const { duplicates } = sent;
  const isOlder = alsoAs !== undefined && sent.object['apiVersion'] === alsoAs;
  const object = isOlder ? { ...sent.object, apiVersion: apiVersion(type) } : sent.object;
  const first: Draft = { object, before: undefined, warnings: [] };
  const rules = { ...write.rules, defaulted: completed };
  return through(receiving, first, { ...viewing(type, write), rules, duplicates });
}

const asItIs = (sent: JsonObject) => sent;

async function admittedAction(
  action: Action,
  draft: Draft,
  write: Write,
): Promise<JsonObject | Refusal> {
  const what = admittingOf(draft, write);
  const mutated = await write.parts.admission.mutate(what);
  if (isRefusal(mutated)) return mutated;
  const object = mutated.object ?? draft.object;
  const wrong = action.misstated?.(object, write.name);
  if (wrong !== undefined) return wrong;
  const valid = await write.parts.admission.validate({ ...what, object });
  return isRefusal(valid) ? valid : object;
}

function answered(result: JsonObject | string | Refusal, code: number): Answer | Refusal {
  if (isRefusal(result)) return result;
  if (result === '') return { code: 204, body: '' };
  if (typeof result === 'string') {
    return { code: 200, body: result, headers: { 'content-type': 'text/plain' } };
  }
  return { code, body: result };
}

export function subresourceOf(rules: Rules, name: string): Subresource | undefined {
  return Object.hasOwn(rules.subresources, name) ? rules.subresources[name] : undefined;
}
