import { expect } from 'vitest';
import verifyPod from '#functions/image-trust/verify-pod.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Namespaces } from '#shared/ports.ts';
import { ask, patched, podWith, reviewOf, stage } from '../admission.ts';
import { evil, good, type JudgeStated, judgeStated } from './judge-stated.ts';

export const mode = 'namespaces.warden.kyma-project.io/validate';
export const status = 'pods.warden.kyma-project.io/validate';
export const rejecting = 'pods.warden.kyma-project.io/validate-reject';
export const invalid = 'pods.warden.kyma-project.io/invalid-images';
const user = (annotations: Record<string, string>) => ({
  labels: { [mode]: 'user' },
  annotations: Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [
      `namespaces.warden.kyma-project.io/${key}`,
      value,
    ]),
  ),
});
const url = 'https://notary.team.example';

export const namespaces = namespacesInMemory(
  { name: 'plain' },
  { name: 'odd', labels: { [mode]: 'unknown' } },
  { name: 'enabled', labels: { [mode]: 'enabled' } },
  { name: 'system', labels: { [mode]: 'system' } },
  { name: 'user', ...user({ 'notary-url': url }) },
  { name: 'lax', ...user({ 'notary-url': url, 'strict-mode': 'false' }) },
  { name: 'broken', ...user({}) },
);

export type Asked = Parameters<typeof reviewOf>[0] & {
  readonly settings?: Partly<Settings>['imageTrust'];
  readonly judge?: JudgeStated;
  readonly namespaces?: Namespaces;
};

export const signed = () =>
  judgeStated({ 'a.io/web:1': good, 'nginx:latest': good, 'a.io/side:2': evil });

/** One review at the path that is Warden's, through the whole loop. */
export async function admitted({ settings = {}, judge = signed(), ...request }: Asked = {}) {
  const own = request.namespaces ?? namespaces;
  const { app } = await stage({
    functions: [verifyPod],
    namespaces: own,
    settings: { imageTrust: settings },
    ports: { namespaces: own, images: judge },
  });
  const review = reviewOf({ object: podWith('a.io/web:1'), namespace: 'enabled', ...request });
  return ask(app, '/defaulting/pods', review);
}

export async function marked(asked: Asked = {}) {
  const object = (asked.object ?? podWith('a.io/web:1')) as JsonObject;
  const answer = await admitted({ ...asked, object });
  expect(answer.allowed).toBe(true);
  return { ...(patched(object, answer) as ReturnType<typeof podWith>), answer };
}

export const podAs = (metadata: JsonObject, ...images: readonly string[]) => ({
  ...podWith(...images),
  metadata: { generateName: 'web-', ...metadata },
});
export const labelled = (value: string, ...images: readonly string[]) =>
  podAs({ labels: { [status]: value } }, ...images);
