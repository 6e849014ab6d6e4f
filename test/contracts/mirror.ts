import { beforeEach, describe, expect, it } from 'vitest';
import { type Kind, nodes, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { isLater, type Scope } from '#shared/domain/watched.ts';
import type { Mirror, MirrorOptions } from '#shared/ports.ts';
import { noise } from '#test/support/noise.ts';
import { longText } from './store/stage.ts';

export type MirrorStage = {
  readonly mirror: Mirror;
  put(kind: Kind, object: KubeObject, keys?: readonly string[], scope?: Scope): Promise<void>;
  remove(kind: Kind, uid: string): Promise<void>;
  /** It is being listed. */
  beginList(scope: Scope): Promise<void>;
  /** It has been watched up to there, whoever else follows that place. */
  watchedUpTo(scope: Scope, resourceVersion: string): Promise<void>;
  /** Its rows have the keys of these indexes, or will once the forwarder has gone through them. */
  noteIndexes(scope: Scope, names: readonly string[], isDone: boolean): Promise<void>;
  /** Nobody follows it any more. */
  retire(scope: Scope): Promise<void>;
  /** Another history of the cluster has begun. */
  restore(): Promise<void>;
  /** The same mirror, of another cluster. */
  elsewhere(): Mirror;
};

type Stated = {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owners?: readonly string[];
  readonly kind?: string;
  readonly text?: string;
};

function objectOf(uid: string, stated: Stated = {}): KubeObject {
  const { namespace = 'default', labels = {}, owners = [], kind = 'Pod', text = 'nul \0' } = stated;
  const ownerReferences = owners.map((owner) => ({ uid: owner, kind: 'ReplicaSet', name: owner }));
  const metadata = { name: `name-of-${uid}`, namespace, uid, labels, ownerReferences };
  return { apiVersion: 'v1', kind, metadata, spec: { text } };
}

async function uidsOf({ mirror }: MirrorStage, options?: MirrorOptions, kind = pods) {
  const found: string[] = [];
  for await (const { metadata } of (await mirror.list(kind, options)).objects) {
    found.push(metadata.uid ?? '');
  }
  return found;
}

/** What `ports.Mirror` promises. `open` gives an empty one each time. */
export function mirrorContract(name: string, open: () => Promise<MirrorStage>): void {
  describe(name, () => {
    let stage: MirrorStage;
    beforeEach(async () => {
      stage = await open();
    });
    const put = (uid: string, stated?: Stated, keys?: readonly string[]) =>
      stage.put(pods, objectOf(uid, stated), keys);

    describe('one object', () => {
      it('is found by namespace and name, as it was', async () => {
        await put('a');
        const found = await stage.mirror.find(pods, { namespace: 'default', name: 'name-of-a' });
        expect(found).toEqual({
          object: objectOf('a'),
          resourceVersion: expect.stringMatching(/^\d+$/),
        });
      });

      it('is found without a namespace where its kind has none', async () => {
        await stage.put(nodes, objectOf('n', { namespace: '', kind: 'Node' }));
        const { object } = await stage.mirror.find(nodes, { name: 'name-of-n' });
        expect(object?.metadata.uid).toBe('n');
      });

      it('is not found under another namespace, name, kind or cluster', async () => {
        await put('a');
        const at = { namespace: 'default', name: 'name-of-a' };
        const found = await Promise.all([
          stage.mirror.find(pods, { ...at, namespace: 'other' }),
          stage.mirror.find(pods, { ...at, name: 'other' }),
          stage.mirror.find({ ...pods, group: 'metrics.k8s.io' }, at),
          stage.elsewhere().find(pods, at),
        ]);
        expect(found.map(({ object }) => object)).toEqual(Array(4).fill(undefined));
      });

      it('is not found by name once it is deleted', async () => {
        await put('a');
        await stage.remove(pods, 'a');
        const at = { namespace: 'default', name: 'name-of-a' };
        expect((await stage.mirror.find(pods, at)).object).toBeUndefined();
      });

      it('is found by uid while it lives', async () => {
        await put('a');
        expect(await stage.mirror.findByUid(pods, 'a')).toMatchObject({
          object: objectOf('a'),
          isDeleted: false,
        });
      });

      it('is found by uid with its last labels and owners once it is deleted', async () => {
        await put('a', { labels: { app: 'web' }, owners: ['o'] });
        await stage.remove(pods, 'a');
        expect(await stage.mirror.findByUid(pods, 'a')).toMatchObject({
          object: objectOf('a', { labels: { app: 'web' }, owners: ['o'] }),
          isDeleted: true,
        });
      });

      it('is found by what the database cannot hold as it is', async () => {
        const at = { namespace: 'team \0', name: 'name-of-nul \0' };
        await put('nul \0', { namespace: at.namespace, labels: { 'key \0': 'x' } });
        const { mirror } = stage;
        expect((await mirror.find(pods, at)).object?.metadata).toMatchObject(at);
        expect((await mirror.findByUid(pods, 'nul \0')).object?.metadata).toMatchObject(at);
        const labels = expressed('key \0', 'Exists');
        expect(await uidsOf(stage, { namespace: at.namespace, labels })).toEqual(['nul \0']);
      });

      it('is found by a uid that nobody has as nothing, which was not deleted', async () => {
        await put('a');
        expect(await stage.mirror.findByUid(pods, 'b')).toMatchObject({
          object: undefined,
          isDeleted: false,
        });
      });
    });

    describe('the version', () => {
      it('is empty for a kind that was never listed', async () => {
        expect((await stage.mirror.find(pods, { name: 'a' })).resourceVersion).toBe('');
        expect((await stage.mirror.list(pods)).resourceVersion).toBe('');
      });

      it('goes on with every change, also for what did not change', async () => {
        await put('a');
        const before = await stage.mirror.findByUid(pods, 'a');
        await put('b');
        const after = await stage.mirror.findByUid(pods, 'a');
        expect(isLater(after.resourceVersion, before.resourceVersion)).toBe(true);
      });

      it('is empty as long as it is one of a history that is over', async () => {
        await put('a');
        await stage.restore();
        expect((await stage.mirror.findByUid(pods, 'a')).resourceVersion).toBe('');
        expect((await stage.mirror.list(pods)).resourceVersion).toBe('');
      });

      it('is told by a list of nothing as well', async () => {
        await put('a');
        const { resourceVersion } = await stage.mirror.list(pods, { namespace: 'nobody' });
        expect(resourceVersion).toMatch(/^\d+$/);
      });
    });

    describe('the version of a kind of which only a part is followed', () => {
      const told = async (read: Promise<{ readonly resourceVersion: string }>) =>
        (await read).resourceVersion !== '';
      const within = async (narrowed: Partial<Scope>, uid: string, stated: Stated) =>
        stage.put(pods, objectOf(uid, stated), [], { kind: pods, ...narrowed });

      it('is told for the namespace that is, and for no other', async () => {
        await within({ namespace: 'one' }, 'a', { namespace: 'one' });
        const { mirror } = stage;
        expect(await told(mirror.list(pods, { namespace: 'one' }))).toBe(true);
        expect(await told(mirror.find(pods, { namespace: 'one', name: 'nobody' }))).toBe(true);
        expect(await told(mirror.find(pods, { namespace: 'one', name: 'name-of-a' }))).toBe(true);
        expect(await told(mirror.findByUid(pods, 'a'))).toBe(true);

        expect(await told(mirror.list(pods))).toBe(false);
        expect(await told(mirror.list(pods, { namespace: 'two' }))).toBe(false);
        expect(await told(mirror.find(pods, { namespace: 'two', name: 'nobody' }))).toBe(false);
        expect(await told(mirror.findByUid(pods, 'b'))).toBe(false);
      });

      it('is its own, however far another one is', async () => {
        for (const uid of ['a', 'b']) await within({ namespace: 'one' }, uid, { namespace: 'one' });
        await within({ namespace: 'two' }, 'c', { namespace: 'two' });
        const { mirror } = stage;
        expect((await mirror.list(pods, { namespace: 'one' })).resourceVersion).toBe('2');
        expect((await mirror.list(pods, { namespace: 'two' })).resourceVersion).toBe('3');
        const at = { namespace: 'one', name: 'name-of-a' };
        expect((await mirror.find(pods, at)).resourceVersion).toBe('2');
        expect((await mirror.findByUid(pods, 'a')).resourceVersion).toBe('2');
        expect((await mirror.findByUid(pods, 'c')).resourceVersion).toBe('3');
      });

      it('is the least of those that two have, as a number', async () => {
        await within({ namespace: 'one' }, 'a', { namespace: 'one' });
        await stage.watchedUpTo({ kind: pods, namespace: 'one' }, '10');
        await stage.watchedUpTo({ kind: pods }, '9');
        const { resourceVersion } = await stage.mirror.list(pods, { namespace: 'one' });
        expect(resourceVersion).toBe('9');
      });

      it('is empty while it is being listed', async () => {
        await within({ namespace: 'one' }, 'a', { namespace: 'one' });
        await stage.beginList({ kind: pods, namespace: 'one' });
        const { mirror } = stage;
        const at = { namespace: 'one', name: 'name-of-a' };
        expect(await told(mirror.list(pods, { namespace: 'one' }))).toBe(false);
        expect(await told(mirror.find(pods, at))).toBe(false);
        expect(await told(mirror.findByUid(pods, 'a'))).toBe(false);
      });

      it('is not held up by another one that is never listed', async () => {
        await within({ namespace: 'one' }, 'a', { namespace: 'one' });
        await stage.beginList({ kind: pods, namespace: 'two' });
        const { mirror } = stage;
        const at = { namespace: 'one', name: 'name-of-a' };
        expect(await told(mirror.list(pods, { namespace: 'one' }))).toBe(true);
        expect(await told(mirror.find(pods, at))).toBe(true);
        expect(await told(mirror.find(pods, { namespace: 'one', name: 'nobody' }))).toBe(true);
        expect(await told(mirror.findByUid(pods, 'a'))).toBe(true);

        expect(await told(mirror.list(pods))).toBe(false);
        expect(await told(mirror.list(pods, { namespace: 'two' }))).toBe(false);
        expect(await told(mirror.find(pods, { namespace: 'two', name: 'nobody' }))).toBe(false);
      });

      it('is not held up by another name that is never listed', async () => {
        await within({ fields: 'metadata.name=b' }, 'b', { namespace: 'one' });
        await stage.beginList({ kind: pods, fields: 'metadata.name=c' });
        const { mirror } = stage;
        expect(await told(mirror.find(pods, { namespace: 'one', name: 'b' }))).toBe(true);
        expect(await told(mirror.find(pods, { namespace: 'one', name: 'c' }))).toBe(false);
      });

      it('is empty for what one left that nobody follows any more', async () => {
        await within({ namespace: 'one' }, 'a', { namespace: 'one' });
        await within({ namespace: 'two' }, 'b', { namespace: 'two' });
        await stage.retire({ kind: pods, namespace: 'two' });
        const { mirror } = stage;
        const left = await mirror.find(pods, { namespace: 'two', name: 'name-of-b' });
        expect(left).toEqual({ object: objectOf('b', { namespace: 'two' }), resourceVersion: '' });
        expect(await told(mirror.findByUid(pods, 'b'))).toBe(false);
        expect(await told(mirror.findByUid(pods, 'a'))).toBe(true);
      });

      it('is not held up by one around it that nobody follows any more', async () => {
        await within({ namespace: 'one' }, 'a', { namespace: 'one' });
        await stage.beginList({ kind: pods });
        await stage.retire({ kind: pods });
        await within({ namespace: 'one' }, 'a', { namespace: 'one' });
        expect(await told(stage.mirror.list(pods, { namespace: 'one' }))).toBe(true);
      });

      it('is told for the name that is, and for no other', async () => {
        await within({ namespace: 'one', fields: 'metadata.name=b' }, 'a', { namespace: 'one' });
        const { mirror } = stage;
        expect(await told(mirror.find(pods, { namespace: 'one', name: 'b' }))).toBe(true);
        expect(await told(mirror.find(pods, { namespace: 'one', name: 'c' }))).toBe(false);
        expect(await told(mirror.list(pods, { namespace: 'one' }))).toBe(false);
      });

      it('is told for the labels that are, and for no others', async () => {
        await within({ labels: 'app=web' }, 'a', { labels: { app: 'web' } });
        const { mirror } = stage;
        const labelled = (app: string) => ({ labels: { matchLabels: { app } } });
        expect(await told(mirror.list(pods, labelled('web')))).toBe(true);
        expect(await told(mirror.list(pods, labelled('db')))).toBe(false);
        expect(await told(mirror.list(pods))).toBe(false);
        expect(await told(mirror.find(pods, { namespace: 'one', name: 'nobody' }))).toBe(false);
      });

      it('is told by its name for an object that the labels let through', async () => {
        await within({ labels: 'app=web' }, 'a', { labels: { app: 'web' } });
        const named = (name: string) => stage.mirror.find(pods, { namespace: 'default', name });
        expect((await named('name-of-a')).resourceVersion).toBe('1');
        expect((await named('name-of-b')).resourceVersion).toBe('');
      });
    });

    describe('the version of what is listed by an index', () => {
      const narrow = { kind: pods, namespace: 'one' };
      const versionBy = async (name: string, options: MirrorOptions = { namespace: 'one' }) =>
        (await stage.mirror.list(pods, { ...options, index: { name, key: 'k' } })).resourceVersion;
      beforeEach(() => stage.put(pods, objectOf('a', { namespace: 'one' }), [], narrow));

      it('is told once all rows have its keys, also of nothing', async () => {
        await stage.noteIndexes(narrow, ['by-image', 'by-node'], true);
        expect(await versionBy('by-image')).toBe('1');
        expect(await versionBy('by-node')).toBe('1');
        expect(await uidsOf(stage, { index: { name: 'by-node', key: 'k' } })).toEqual([]);
      });

      it('is empty where nobody has said so yet, and while its keys are made', async () => {
        expect(await versionBy('by-image')).toBe('');
        await stage.noteIndexes(narrow, ['by-image'], false);
        expect(await versionBy('by-image')).toBe('');
      });

      it('is empty where whoever wrote last gives no keys of it', async () => {
        await stage.noteIndexes(narrow, ['by-image'], true);
        await stage.noteIndexes(narrow, [], false);
        expect(await versionBy('by-image')).toBe('');
      });

      it('is empty where rows of another place have its keys', async () => {
        await stage.noteIndexes(narrow, ['by-image'], true);
        expect(await versionBy('by-image', {})).toBe('');
        expect(await versionBy('by-image', { namespace: 'two' })).toBe('');
      });

      it('is empty where only one of two that have what is asked for has its keys', async () => {
        await stage.noteIndexes(narrow, ['by-image'], true);
        await stage.watchedUpTo(narrow, '1');
        await stage.watchedUpTo({ kind: pods }, '1');
        expect(await versionBy('by-image')).toBe('');
      });

      it('is empty as long as it would be without', async () => {
        await stage.beginList(narrow);
        await stage.noteIndexes(narrow, ['by-image'], true);
        expect(await versionBy('by-image')).toBe('');
      });

      it.each([
        ['a name that is not quite one of them', ['by-image'], 'by-imag', 'by-image'],
        ['another name', ['by-image', 'by-node'], 'by-team', 'by-image,by-node'],
        ['any name where there is none', [], 'by-image', 'none'],
      ])('is refused for %s', async (_, declared, asked, told) => {
        await stage.noteIndexes(narrow, declared, true);
        await expect(versionBy(asked)).rejects.toThrow(
          `no watch of pods declares the index ${asked} (declared: ${told}): correct the name in the ` +
            'function that lists by it, or declare it there; a forwarder of an earlier build does ' +
            'not know it yet',
        );
      });
    });

    describe('a list', () => {
      it('has the live ones in the order of their uids', async () => {
        for (const uid of ['b', 'a', 'c', 'B']) await put(uid);
        await stage.remove(pods, 'c');
        expect(await uidsOf(stage)).toEqual(['B', 'a', 'b']);
      });

      it('has none of another kind', async () => {
        await put('a');
        expect(await uidsOf(stage, {}, nodes)).toEqual([]);
      });

      it.each([1, 2, 3, 4, 5])('is whole in pages of %d', async (pageSize) => {
        for (const uid of ['a', 'b', 'c', 'd']) await put(uid);
        expect(await uidsOf(stage, { pageSize })).toEqual(['a', 'b', 'c', 'd']);
      });

      it('is whole where its objects are large', async () => {
        const uids = ['a', 'b', 'c', 'd', 'e', 'f'];
        for (const uid of uids) await put(uid, { text: noise(900_000) });
        expect(await uidsOf(stage)).toEqual(uids);
      });

      it('can be gone through twice', async () => {
        await put('a');
        expect([await uidsOf(stage), await uidsOf(stage)]).toEqual([['a'], ['a']]);
      });

      it('is narrowed to a namespace', async () => {
        await put('a', { namespace: 'one' });
        await put('b', { namespace: 'two' });
        expect(await uidsOf(stage, { namespace: 'two' })).toEqual(['b']);
      });

      it.each<[string, MirrorOptions['labels'], readonly string[]]>([
        ['an empty selector', {}, ['a', 'b', 'c', 'd']],
        ['one label', { matchLabels: { app: 'web' } }, ['a', 'b']],
        ['two labels', { matchLabels: { app: 'web', tier: 'x' } }, ['a']],
        ['a value that nobody has', { matchLabels: { app: 'we' } }, []],
        ['a key of the prototype', { matchLabels: { constructor: 'x' } }, []],
        ['In', expressed('app', 'In', 'web', 'db'), ['a', 'b', 'c']],
        ['NotIn, those without the key too', expressed('app', 'NotIn', 'web'), ['c', 'd']],
        ['Exists', expressed('tier', 'Exists'), ['a', 'd']],
        ['DoesNotExist', expressed('tier', 'DoesNotExist'), ['b', 'c']],
        [
          'labels and expressions',
          { matchLabels: { app: 'web' }, ...expressed('tier', 'DoesNotExist') },
          ['b'],
        ],
      ])('is narrowed by %s', async (_, labels, expected) => {
        await put('a', { labels: { app: 'web', tier: 'x' } });
        await put('b', { labels: { app: 'web' } });
        await put('c', { labels: { app: 'db' } });
        await put('d', { labels: { tier: '' } });
        expect(await uidsOf(stage, { labels, pageSize: 2 })).toEqual(expected);
      });

      it('is narrowed to what somebody owns', async () => {
        await put('a', { owners: ['o1', 'o2'] });
        await put('b', { owners: ['o2'] });
        await put('c');
        expect(await uidsOf(stage, { owner: 'o2' })).toEqual(['a', 'b']);
      });

      it('is narrowed by the key of a named index', async () => {
        await put('a', {}, ['by-image=x', 'by-image=y']);
        await put('b', {}, ['by-node=x']);
        expect(await uidsOf(stage, { index: { name: 'by-image', key: 'x' } })).toEqual(['a']);
      });

      it.each([
        ['10,000 letters', longText],
        ['a NUL', 'k\0'],
        ['quotes', '{"k\\",}'],
      ])('is narrowed by a key of %s', async (_, key) => {
        await put('a', {}, [`by=${key}`]);
        await put('b', {}, ['by=other']);
        expect(await uidsOf(stage, { index: { name: 'by', key } })).toEqual(['a']);
      });

      it('is narrowed by all that is stated', async () => {
        const stated = { namespace: 'one', labels: { app: 'web' }, owners: ['o'] };
        await put('a', stated, ['by=k']);
        await put('b', { ...stated, namespace: 'two' }, ['by=k']);
        await put('c', { ...stated, owners: [] }, ['by=k']);
        await put('d', stated);
        const labels = { matchLabels: { app: 'web' } };
        const index = { name: 'by', key: 'k' };
        expect(await uidsOf(stage, { namespace: 'one', labels, owner: 'o', index })).toEqual(['a']);
      });

      it('forgets the labels, owners and keys that an object had before', async () => {
        await put('a', { labels: { app: 'old' }, owners: ['o'] }, ['by=k']);
        await put('a', { labels: { app: 'new' } });
        expect(await uidsOf(stage, { labels: { matchLabels: { app: 'old' } } })).toEqual([]);
        expect(await uidsOf(stage, { owner: 'o' })).toEqual([]);
        expect(await uidsOf(stage, { index: { name: 'by', key: 'k' } })).toEqual([]);
      });
    });
  });
}

function expressed(
  key: string,
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
  ...values: readonly string[]
): NonNullable<MirrorOptions['labels']> {
  return { matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }] };
}
