import type { OpenedAdmission } from '#infra/emulator/cluster/admission/open-admission.ts';
import type { Admitting } from '#infra/emulator/cluster/parts.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { objectsRead } from '../access/objects-read.ts';
import { admitting, namespace, pod, podKind } from './admitting.ts';

const account = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { namespace: 'home', name },
  ...more,
});
export const priorityClass = (name: string, more: JsonObject): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  ...more,
});

const ending = { ...namespace('ending'), status: { phase: 'Terminating' } };

export const reading = objectsRead(
  ...[namespace('home'), namespace('default'), ending],
  account('default'),
  account('puller', { imagePullSecrets: [{ name: 'pull' }] }),
  account('quiet', { automountServiceAccountToken: false }),
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'heavy' },
    overhead: { podFixed: { cpu: '1' } },
    scheduling: { nodeSelector: { heavy: 'yes' } },
  },
  priorityClass('high', { value: 7, preemptionPolicy: 'Never' }),
);

/** What is kept of an object that the steps let through. */
export async function mutatedBy(admission: OpenedAdmission, what: Admitting): Promise<JsonObject> {
  const done = await admission.mutate(what);
  if (isRefusal(done) || done.object === undefined) throw new Error(JSON.stringify(done));
  return done.object;
}

export async function specBy(admission: OpenedAdmission, spec: JsonObject): Promise<JsonObject> {
  return (await mutatedBy(admission, admitting(podKind, pod(spec))))['spec'] as JsonObject;
}
