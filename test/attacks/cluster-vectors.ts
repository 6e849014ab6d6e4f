import { namespaces, secrets } from '#shared/domain/kind.ts';
import { send } from '#test/support/registry/memory-registry.ts';
import { digestFor } from '#test/support/tuf/publish.ts';
import { modeLabel } from './admit.ts';
import { manifestOf } from './configuration.ts';
import { imageCalled } from './image-called.ts';
import { basic, type Outside } from './outside.ts';
import { containerOf, podOf, podWithSpec } from './pod.ts';
import { signAtPlatform } from './sign-at-platform.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

/** What takes the target's cluster to play. */
export function clusterVectors(places: Places): readonly Vector[] {
  const namespace = placeIn(places, 'system');
  const late = labelledAt.map((at) => labelledLate(places, at));
  return [...late, ...lures.map((lure) => lured(lure, namespace))];
}

/** The label is true from the moment that it is written, whatever is remembered of the namespace, and whichever path is asked. */
function labelledLate(places: Places, { how, ...at }: LabelledAt): Vector {
  const playing =
    (name: string, image: string): Play =>
    async ({ admit, put }) => {
      const before = placeIn(places, name);
      const namespace = { ...before, labels: { [modeLabel]: 'system' } };
      await admit({ namespace: before, object: podOf(image) });
      await put?.(namespaces, manifestOf(namespace));
      return admit({ namespace, object: podOf(image), ...at });
    };
  return {
    name: `a namespace that was labelled a moment ago${how}`,
    theme: 'cluster',
    needs: 'cluster',
    namespaces: [],
    evil: playing('late-evil', `registry.example/team/app:unsigned@${digestFor('evil')}`),
    twin: playing('late-twin', `registry.example/team/app:1.0@${digestFor('good')}`),
  };
}

type LabelledAt = { readonly how: string; readonly lastPath?: string };

const labelledAt: readonly LabelledAt[] = [
  { how: '' },
  { how: ', asked for as upstream is', lastPath: '/validation/pods' },
];

type Lure = {
  readonly name: string;
  /** Of repositories below `private`, which want a login. */
  readonly evil: string;
  readonly twin: string;
};

const lures: readonly Lure[] = [
  { name: 'a registry that leads credentials to another host', evil: 'led', twin: 'own' },
  {
    name: 'a registry that sends credentials to a token server of its choice',
    evil: 'token-elsewhere',
    twin: 'token-here',
  },
];

/** Whoever may answer for a registry leads the client to a server of his own, and reads there what it shows. */
function lured({ name, evil, twin }: Lure, namespace: StatedNamespace): Vector {
  const playing =
    (repository: string): Play =>
    async ({ outside, admit, put }) => {
      const gun = `${outside.host}/private/${repository}`;
      await signAtPlatform(outside, { [gun]: { '1.0': 'good' } });
      outside.registry.keep(`private/${repository}`, '1.0', 'good');
      challengeByToken(outside, repository);
      await put?.(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'pull', namespace: namespace.name },
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': loginAt(outside.host) },
      });
      const containers = [containerOf(`${gun}:1.0`)];
      return admit({
        namespace,
        object: podWithSpec({ containers, imagePullSecrets: [{ name: 'pull' }] }),
      });
    };
  return {
    name,
    theme: 'cluster',
    needs: 'cluster',
    namespaces: [],
    evil: async (stage) => {
      const { said } = await playing(evil)(stage);
      const shown = stage.outside.shownElsewhere();
      return { admitted: shown.length > 0, said: `${shown.length} were shown; ${said}` };
    },
    twin: playing(twin),
  };
}

const token = 'attack-token';

/** Where one is given: by the registry itself, or by another host, which asks for a login as well. */
function challengeByToken({ host, other, registry }: Outside, repository: string): void {
  const at = { 'token-here': host, 'token-elsewhere': other }[repository];
  if (at === undefined) return;
  registry.scripts.set(`/token/${repository}`, (_, response, { authorization }) => {
    const isLet = authorization === basic;
    const headers = isLet ? {} : { 'www-authenticate': 'Basic realm="tokens"' };
    response.writeHead(isLet ? 200 : 401, headers).end(isLet ? JSON.stringify({ token }) : '');
  });
  const { manifest } = imageCalled('good');
  registry.scripts.set(`/v2/private/${repository}/manifests/1.0`, (_, response, heard) => {
    if (heard.authorization === `Bearer ${token}`) {
      send(response, manifest);
      return;
    }
    const challenge = `Bearer realm="https://${at}/token/${repository}",service="registry"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
}

function loginAt(host: string): string {
  const auth = basic.replace('Basic ', '');
  return Buffer.from(JSON.stringify({ auths: { [host]: { auth } } })).toString('base64');
}
