import { namespaces, secrets } from '#shared/domain/kind.ts';
import { digestFor } from '#test/support/tuf/publish.ts';
import { modeLabel } from './admit.ts';
import { manifestOf } from './configuration.ts';
import { userNamespace } from './namespaces.ts';
import { basic, type Outside } from './outside.ts';
import { containerOf, podOf, podWithSpec } from './pod.ts';
import { notaryOf } from './settle-world.ts';
import type { Outcome, Play, StatedNamespace, Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

/** What takes the target's cluster to play. */
export async function clusterVectors(outside: Outside, places: Places): Promise<readonly Vector[]> {
  return [labelledLate(places), await ledElsewhere(outside, placeIn(places, 'system'))];
}

/** The label is true from the moment that it is written, whatever is remembered of the namespace. */
function labelledLate(places: Places): Vector {
  const playing =
    (name: string, image: string): Play =>
    async ({ admit, put }) => {
      const before = placeIn(places, name);
      const namespace = { ...before, labels: { [modeLabel]: 'system' } };
      await admit({ namespace: before, object: podOf(image) });
      await put?.(namespaces, manifestOf(namespace));
      return admit({ namespace, object: podOf(image) });
    };
  return {
    name: 'a namespace that was labelled a moment ago',
    theme: 'cluster',
    needs: 'cluster',
    namespaces: [],
    evil: playing('late-evil', `registry.example/team/app:unsigned@${digestFor('evil')}`),
    twin: playing('late-twin', `registry.example/team/app:1.0@${digestFor('good')}`),
  };
}

/** Whoever may answer for a registry leads the client to a server of his own, and reads there what it shows. */
async function ledElsewhere(outside: Outside, namespace: StatedNamespace): Promise<Vector> {
  const guns = ['led', 'own'].map((name) => `${outside.host}/private/${name}`);
  const notary = await notaryOf(Object.fromEntries(guns.map((gun) => [gun, { '1.0': 'good' }])));
  const playing =
    (gun: string): Play =>
    async ({ outside, admit, put }) => {
      const platform = outside.notaries.get('platform');
      outside.notaries.set('platform', (asked, file) =>
        guns.includes(asked) ? notary(asked, file) : (platform?.(asked, file) ?? 'absent'),
      );
      outside.registry.keep('private/own', '1.0', 'good');
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
  const [led = '', own = ''] = guns;
  return {
    name: 'a registry that leads credentials to another host',
    theme: 'cluster',
    needs: 'cluster',
    namespaces: [],
    evil: async (stage) => {
      const { said } = await playing(led)(stage);
      const shown = stage.outside.shownElsewhere();
      return { admitted: shown.length > 0, said: `${shown.length} were shown; ${said}` };
    },
    twin: playing(own),
  };
}

function loginAt(host: string): string {
  const auth = basic.replace('Basic ', '');
  return Buffer.from(JSON.stringify({ auths: { [host]: { auth } } })).toString('base64');
}

/** What could not be kept would be believed again from anybody else. */
export async function firstUseWhileAway(outside: Outside): Promise<Vector> {
  const sides = ['away-evil', 'away-twin'] as const;
  const gun = 'registry.example/team/app';
  const notary = await notaryOf({ [gun]: { '1.0': 'good' } });
  // First: after an outage the target asks its database again only in a while.
  const known: { twin: Outcome } = { twin: { admitted: false, said: 'it was not asked' } };
  const playing =
    (side: string, isAway: boolean): Play =>
    async ({ outside, admit, cutOff }) => {
      outside.notaries.set(side, notary);
      cutOff?.(isAway);
      const object = podOf(`${gun}:1.0@${digestFor('good')}`);
      return admit({ namespace: userNamespace(outside, side), object }).finally(() =>
        cutOff?.(false),
      );
    };
  return {
    name: 'a first use while the database is away',
    theme: 'cluster',
    needs: 'database',
    namespaces: sides.map((side) => userNamespace(outside, side)),
    evil: async (stage) => {
      known.twin = await playing('away-twin', false)(stage);
      return playing('away-evil', true)(stage);
    },
    twin: async () => known.twin,
  };
}
