import { isJsonObject } from '#shared/domain/json.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, Write } from '#shared/ports.ts';
import type { Gate } from './admission.ts';
import { definedBy, type KnownKinds, nicknamesIn, typed } from './known-kinds.ts';
import { asStated, makeAnew } from './make-anew.ts';
import { type Manifest, objectsIn } from './manifest.ts';
import type { RemoveNow } from './real/remove-now.ts';
import { kindNamed, type Place, placeOf, type Ref, wordsFor } from './ref.ts';
import type { AdmitRequest, Admitted, World } from './world.ts';

/** Where a person works: the cluster without faults, and the admission in front of it. */
export type Site = {
  readonly cluster: Cluster;
  readonly kinds: KnownKinds;
  readonly gate: () => Gate;
  /** Of a server that gives pods time to end. */
  readonly removeNow?: RemoveNow;
};

export type Doings = Pick<World, 'apply' | 'delete' | 'find' | 'admit' | 'recreate'>;

/** What the test does to the cluster. */
export function doingsAt(site: Site): Doings {
  const stated = new Map<string, KubeObject>();
  const apply = async (object: KubeObject) => {
    const made = await applyOne(site, object);
    stated.set(wordsFor(placeOf(made, site.kinds)), object);
    return made;
  };
  return {
    async apply(manifest) {
      const made: KubeObject[] = [];
      for (const object of await objectsIn(manifest)) made.push(await apply(object));
      const last = made.at(-1);
      if (last === undefined) throw new Error('the manifest holds no object');
      return last;
    },
    delete: async (ref) => (await remove(site, placeOf(ref, site.kinds))).kind === 'written',
    find: ((ref: Ref) => find(site, ref)) as World['find'],
    async recreate(ref) {
      const place = placeOf(ref, site.kinds);
      const again = (live: KubeObject) => stated.get(wordsFor(place)) ?? asStated(live);
      await makeAnew({
        ...{ cluster: site.cluster, place },
        check: async (live) => void (await admitted(site, place, { object: again(live) })),
        remove: (live) => remove(site, place, live),
        make: async (live) => ({ kind: 'written', object: await apply(again(live)) }),
      });
    },
    admit: (pod, request = {}) => admit(site, pod, request),
  };
}

async function find({ cluster, kinds }: Site, ref: Ref) {
  if (typeof ref !== 'string' || /[ /]/.test(ref.trim())) return cluster.find(placeOf(ref, kinds));
  const found: KubeObject[] = [];
  for await (const object of cluster.list(kindNamed(ref.trim(), kinds))) found.push(object);
  return found;
}

async function applyOne(site: Site, given: KubeObject): Promise<KubeObject> {
  const { cluster, kinds } = site;
  const { place, object } = await placed(site, asStated(given));
  const old = place.name === '' ? undefined : await cluster.find(place);
  const { status, ...sent } = await admitted(site, place, { object, old });
  const body = sent as KubeObject;
  const write =
    place.name === ''
      ? await cluster.create(place.kind, body)
      : await cluster.apply(place, body, { fieldManager: 'world', force: true });
  const made = done(write, `apply ${wordsFor(place)}`);
  const defined = definedBy(made);
  if (defined !== undefined) kinds.add(defined, nicknamesIn(made));
  if (!isJsonObject(status)) return made;
  const target = { ...placeOf(made, kinds), subresource: 'status' };
  const body_ = { type: 'merge' as const, body: { status } };
  return done(await cluster.patch(target, body_), `write the status of ${wordsFor(place)}`);
}

/** What belongs to a namespace is in `default`, where nobody says otherwise; a namespace that is not there is made. */
async function placed(site: Site, object: KubeObject) {
  const { kinds } = site;
  const kind = kinds.of(object);
  const { name = '' } = object.metadata;
  if (!kind.namespaced) return { place: { kind, name }, object };
  const { namespace = 'default' } = object.metadata;
  await ensureNamespace(site, namespace);
  const metadata = { ...object.metadata, namespace };
  return { place: { kind, namespace, name }, object: { ...object, metadata } };
}

async function ensureNamespace({ cluster }: Site, name: string): Promise<void> {
  if ((await cluster.find({ kind: namespaces, name })) !== undefined) return;
  const metadata = { name, labels: { 'kubernetes.io/metadata.name': name } };
  await cluster.create(namespaces, { ...typed(namespaces), metadata });
}

type Asked = { readonly object: KubeObject; readonly old?: KubeObject | undefined };

async function admitted(site: Site, place: Place, { object, old }: Asked): Promise<KubeObject> {
  const gate = site.gate();
  if (!gate.isOpenFor()) return object;
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const asking = { place, operation, object, old, dryRun: false, username: 'world' } as const;
  const answer = await gate.review(asking);
  if (answer.verdict === 'deny') throw denied(place, answer);
  return answer.object;
}

function denied(place: Place, { reasons, failures }: Admitted): Error {
  const told = [`${wordsFor(place)} is denied: ${reasons.join('; ')}`, ...failures];
  return new Error(told.join('\n  '));
}

async function remove(site: Site, place: Place, live?: KubeObject): Promise<Write> {
  const gate = site.gate();
  const old = live ?? (await site.cluster.find(place));
  if (old !== undefined && gate.isOpenFor()) {
    const object = undefined;
    const asking = { place, object, old, dryRun: false, username: 'world' };
    const answer = await gate.review({ ...asking, operation: 'DELETE' });
    if (answer.verdict === 'deny') throw denied(place, answer);
  }
  if (live !== undefined) return removeNow(site, place, live);
  const write = await site.cluster.delete(place);
  if (write.kind === 'not-found') return write;
  done(write, `delete ${wordsFor(place)}`);
  return write;
}

/** In memory nothing has a grace. */
async function removeNow(site: Site, place: Place, live: KubeObject): Promise<Write> {
  if (site.removeNow !== undefined) return site.removeNow(place, live);
  const { uid, resourceVersion } = live.metadata;
  return site.cluster.delete(place, { uid, resourceVersion });
}

function done(write: Write, what: string): KubeObject {
  if (write.kind === 'written') return write.object;
  throw new Error(`cannot ${what}: ${'why' in write ? write.why : write.kind}`);
}

async function admit(site: Site, pod: Manifest, request: AdmitRequest): Promise<Admitted> {
  const { operation = 'CREATE', dryRun = false, username = 'world' } = request;
  const [object] = await objectsIn(pod);
  const [old] = request.old === undefined ? [] : await objectsIn(request.old);
  if (object === undefined) throw new Error('the manifest holds no object to admit');
  const kind = site.kinds.of(object);
  const { namespace = 'default', name = '' } = object.metadata;
  const where = request.namespace ?? namespace;
  const place = kind.namespaced ? { kind, namespace: where, name } : { kind, name };
  return site.gate().review({ place, operation, object, old, dryRun, username });
}
