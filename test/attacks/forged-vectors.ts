import { statusLabel } from '#shared/domain/image-trust/label-keys.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { digestFor } from '#test/support/tuf/publish.ts';
import { podWithSpec } from './pod.ts';
import type { Asked, Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

const app = 'registry.example/team/app';
const [good, second] = [`${app}:1.0@${digestFor('good')}`, `${app}:2.0@${digestFor('second')}`];
const evil = `${app}:1.0@${digestFor('evil')}`;

type Sides = {
  readonly name: string;
  /** What is asked with an image that nobody signed, or with one that is. */
  readonly ask: (image: string) => Omit<Asked, 'namespace'>;
  /** Where the trick itself is refused, whatever the image. */
  readonly honest?: (image: string) => Omit<Asked, 'namespace'>;
};

/** Pods whose trick is not in a name: in what else they say, in how many there are, in what they claim to have been. */
export function forgedVectors(places: Places): readonly Vector[] {
  const namespace = placeIn(places, 'system');
  return sides.map(({ name, ask, honest = ask }) => ({
    ...{ name, theme: 'forged', namespaces: [] },
    evil: ({ admit }) => admit({ namespace, ...ask(evil) }),
    twin: ({ admit }) => admit({ namespace, ...honest(second) }),
  }));
}

const named = (name: string, image: Json, more: JsonObject = {}) => ({ name, image, ...more });
const running = (...containers: readonly JsonObject[]) => podWithSpec({ containers });
const web = running(named('web', good));
const updated = (image: string) => ({ old: web, object: running(named('web', image)) });

const sides: readonly Sides[] = [
  {
    name: 'the last of fifteen hundred containers',
    ask: (image) => ({
      object: running(
        ...Array.from({ length: 1_499 }, (_, at) => named(`c${at}`, good)),
        named('last', image),
      ),
    }),
  },
  {
    name: 'a pod that has no name yet',
    ask: (image) => ({
      object: {
        ...running(named('web', image)),
        metadata: { generateName: 'web-', name: null },
      },
    }),
  },
  {
    name: 'a container that is to run what its node has, and never to be pulled',
    ask: (image) => ({ object: running(named('web', image, { imagePullPolicy: 'Never' })) }),
  },
  {
    name: 'a volume of an image that is never to be pulled',
    ask: (image) => ({
      object: podWithSpec({
        containers: [named('web', good)],
        volumes: [{ name: 'data', image: { reference: image, pullPolicy: 'Never' } }],
      }),
    }),
  },
  {
    name: 'an init container that goes on running',
    ask: (image) => ({
      object: podWithSpec({
        initContainers: [named('side', image, { restartPolicy: 'Always' })],
        containers: [named('web', good)],
      }),
    }),
  },
  {
    name: 'an update that says nothing of what there was',
    ask: (image) => ({ operation: 'UPDATE', object: running(named('web', image)) }),
    honest: updated,
  },
  {
    name: 'an update of what was no pod',
    ask: (image) => ({ old: { kind: 'Pod' }, object: running(named('web', image)) }),
    honest: updated,
  },
  {
    name: 'an update of a pod that had two containers of one name',
    ask: (image) => ({
      old: running(named('web', image), named('web', good)),
      object: running(named('web', image)),
    }),
  },
  {
    name: 'an update that renames a container',
    ask: (image) => ({
      old: running(named('web', good), named('side', image)),
      object: running(named('web', good), named('other', image)),
    }),
  },
  ...['__proto__', 'constructor'].map((name) => ({
    name: `an update of a container that is called ${name}`,
    ask: (image: string) => ({
      old: running(named(name, good)),
      object: running(named(name, image)),
    }),
  })),
  {
    name: 'a resource of a container that says what it was verified as',
    ask: (image) => ({
      object: {
        ...running(named('web', image)),
        metadata: { name: 'web', labels: { [statusLabel]: 'success' } },
        status: { containerStatuses: [{ name: 'web', image: good, imageID: good }] },
      },
    }),
  },
  {
    name: 'what is said to be a write of a status and is one of the pod',
    ask: (image) => ({
      old: web,
      object: { ...running(named('web', image)), status: { phase: 'Succeeded' } },
    }),
  },
  {
    name: 'a pod that says that it belongs to another namespace',
    ask: (image) => ({
      object: {
        ...running(named('web', image)),
        metadata: { name: 'web', namespace: 'kube-system' },
      },
    }),
  },
  {
    name: 'a pod by one of the system’s own accounts',
    ask: (image) => ({
      object: running(named('web', image)),
      user: {
        username: 'system:serviceaccount:kube-system:replicaset-controller',
        groups: ['system:serviceaccounts', 'system:masters'],
      },
    }),
  },
  {
    name: 'a pod of a node that claims to be a mirror of a static one, by its label alone',
    ask: (image) => ({
      object: {
        ...running(named('web', image)),
        metadata: { name: 'web', labels: { 'kubernetes.io/config.mirror': 'abc' } },
      },
      user: { username: 'system:node:one', groups: ['system:nodes'] },
    }),
  },
];
