import { pathOf, selfOf } from './addressing.ts';
import type { Call, Caller, Reply } from './calling.ts';
import type { Step } from './case.ts';
import type { Loopback } from './loopback.ts';
import { filled, filledAll, type Names, type Place } from './place.ts';

/** What a case runs in. */
export type Stage = {
  readonly place: Place;
  readonly caller: Caller;
  readonly loopback: Loopback;
  /** Controllers make the default ServiceAccount of a namespace; without them the case does. */
  readonly isControlled: boolean;
};

/** One request as the step says it, or what came to a path of ours. */
export async function asked(stage: Stage, step: Step, names: Names): Promise<Reply> {
  const [verb = '', address = ''] = splitOnce(filled(step.do, names));
  const namespace = names.get('ns') ?? '';
  if (verb === 'ASKED') {
    const path = address.startsWith('/') ? address : `/${namespace}/${address}`;
    return { status: 200, headers: {}, text: JSON.stringify(stage.loopback.asked(path)) };
  }
  const call = callOf(stage, { step, verb, address }, names);
  if (verb === 'WATCH') return stage.caller.watch(call, step.takes);
  return step.http2 === true ? stage.caller.callHttp2(call) : stage.caller.call(call);
}

function splitOnce(text: string): readonly string[] {
  const at = text.indexOf(' ');
  return [text.slice(0, at), text.slice(at + 1)];
}

const patches: Readonly<Record<string, string>> = {
  JSON: 'application/json-patch+json',
  MERGE: 'application/merge-patch+json',
  STRATEGIC: 'application/strategic-merge-patch+json',
  APPLY: 'application/apply-patch+yaml',
};

type Addressed = { readonly step: Step; readonly verb: string; readonly address: string };

function callOf({ place }: Stage, { step, verb, address }: Addressed, names: Names): Call {
  const path = pathOf(address, names.get('ns') ?? '');
  const watch = verb === 'WATCH' ? `${path.includes('?') ? '&' : '?'}watch=true` : '';
  const contentType = patches[verb] ?? 'application/json';
  return {
    method: patches[verb] === undefined ? verb.replace('WATCH', 'GET') : 'PATCH',
    path: `${path}${watch}`,
    headers: {
      ...credentials(place, step, names),
      ...(step.send === undefined && step.raw === undefined ? {} : { 'content-type': contentType }),
      ...(filledAll(step.headers ?? {}, names) as Readonly<Record<string, string>>),
    },
    body: bodySent(step, { verb, address }, names),
  };
}

function credentials({ token }: Place, step: Step, names: Names) {
  const bearer = filled(step.token ?? token, names);
  return {
    accept: 'application/json',
    ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
    ...(step.as === undefined ? {} : { 'impersonate-user': filled(step.as, names) }),
    ...(step.groups === undefined
      ? {}
      : { 'impersonate-group': step.groups.map((group) => filled(group, names)) }),
  };
}

const whole = ['POST', 'PUT', 'APPLY'];

function bodySent({ send, raw }: Step, { verb, address }: Omit<Addressed, 'step'>, names: Names) {
  if (raw !== undefined) return filled(raw, names);
  if (send === undefined) return undefined;
  const body = filledAll(send, names);
  const self = whole.includes(verb) && !Array.isArray(body) ? selfOf(address) : undefined;
  return JSON.stringify(self === undefined ? body : { ...self, ...(body as object) });
}
