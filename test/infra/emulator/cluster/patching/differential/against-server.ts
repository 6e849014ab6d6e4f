import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { type Deed, done, metadataOf, sentBy } from './deed.ts';
import { type Kind, pathOf } from './kinds.ts';
import type { Answer, Server } from './server.ts';
import type { Step } from './step.ts';
import { type Verdict, verdictOn } from './verdict.ts';

export type Place = {
  readonly server: Server;
  readonly namespace: string;
  readonly kind: Kind;
  readonly name: string;
};

export type Judged = Deed & { readonly verdict: Verdict; readonly object: JsonObject | undefined };

/** Writes to one object of the real server; each is done here as well, from the same state. */
export async function judged(place: Place, steps: readonly Step[]): Promise<readonly Judged[]> {
  const deeds: Judged[] = [];
  let before: JsonObject | undefined;
  for (const step of steps) {
    const deed = await judgedStep(place, before, step);
    deeds.push(deed);
    if (deed.real.code < 300) before = deed.real.body;
  }
  return deeds;
}

async function judgedStep(
  place: Place,
  before: JsonObject | undefined,
  step: Step,
): Promise<Judged> {
  const { kind, name } = place;
  const asked = new Date();
  const real = await sent(place, before, step);
  const deed = { kind, name, before, step, real, asked };
  const ours = done(deed);
  const object = isRefusal(ours) ? undefined : ours.object;
  const isMade = object !== undefined && real.code < 300;
  const normal = isMade ? await normalised(place, object, deed) : undefined;
  return { ...deed, object, verdict: verdictOn(deed, ours, normal) };
}

function sent(place: Place, before: JsonObject | undefined, step: Step): Promise<Answer> {
  const { server, kind, namespace, name } = place;
  const path = pathOf(kind, namespace);
  const at = `${path}/${name}${step.subresource === undefined ? '' : `/${step.subresource}`}`;
  const by = `fieldManager=${step.manager}`;
  const body = sentBy({ kind, name, before, step });
  if (step.how === 'patch') {
    return server.ask('PATCH', `${at}?${by}`, { contentType: step.contentType, body: step.patch });
  }
  if (step.how === 'apply') {
    const contentType = 'application/apply-patch+yaml';
    return server.ask('PATCH', `${at}?${by}&force=${step.force}`, { contentType, body });
  }
  return before === undefined
    ? server.ask('POST', `${path}?${by}`, { body })
    : server.ask('PUT', `${at}?${by}`, { body });
}

/** What the server itself makes of an object: decoded, and with its defaults. */
async function normalised(place: Place, object: JsonObject, deed: Deed): Promise<JsonObject> {
  const { server, kind, namespace, name } = place;
  const { resourceVersion = '' } = metadataOf(deed.real.body);
  const { subresource } = deed.step;
  const at = `${pathOf(kind, namespace)}/${name}${subresource === undefined ? '' : `/${subresource}`}`;
  const body = { ...object, metadata: { ...metadataOf(object), resourceVersion } };
  return (await server.ask('PUT', `${at}?dryRun=All`, { body })).body;
}
