import { describe, expect, it } from 'vitest';
import { noticeFrom, noticeText } from '#shared/adapters/database/notice.ts';
import { landing } from '#shared/adapters/database/rows.ts';
import { kindOfScope } from '#shared/adapters/database/scope-kind.ts';
import { termOf } from '#shared/adapters/database/terms.ts';
import { configMaps, leases } from '#shared/domain/kind.ts';
import { mirroredForm, type Row } from '#shared/domain/mirrored.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { rowOf } from '#test/contracts/store/stage.ts';

const live = (uid: string, name: string) => rowOf(uid, { name });
const dead = (uid: string, name: string) => rowOf(uid, { name, isDeleted: true });

describe('the landing of rows', () => {
  it.each<[string, readonly Row[], readonly Row[]]>([
    ['nothing', [], []],
    ['tombstones first', [live('b', 'x'), dead('a', 'x')], [dead('a', 'x'), live('b', 'x')]],
    ['the last of one uid', [live('a', 'x'), dead('a', 'x')], [dead('a', 'x')]],
    ['a uid that came back to life', [dead('a', 'x'), live('a', 'x')], [live('a', 'x')]],
    ['two of one name', [live('a', 'x'), live('b', 'x')], [dead('a', 'x'), live('b', 'x')]],
  ])('has %s', (_, rows, landed) => {
    expect(landing(rows)).toEqual(landed);
  });

  it('lets two of one name live in two namespaces', () => {
    const rows = [live('a', 'x'), rowOf('b', { name: 'x', namespace: 'other' })];
    expect(landing(rows)).toEqual(rows);
  });
});

describe('the mirrored form of an object', () => {
  it('is the same where there was nothing to strip', () => {
    const { object } = live('a', 'x');
    expect(mirroredForm(object)).toBe(object);
  });

  it('has no annotations where it had none', () => {
    const { object } = live('a', 'x');
    const heavy = { ...object, metadata: { ...object.metadata, managedFields: [] } };
    expect(mirroredForm(heavy)).toEqual(object);
    expect(mirroredForm(heavy).metadata).not.toHaveProperty('annotations');
  });

  it('has no annotation of a Secret, in which its bytes may stand under any name', () => {
    const { object } = live('a', 'x');
    const annotations = {
      'kapp.k14s.io/original': '{"data":{"password":"c2VjcmV0"}}',
      'reconcile.external-secrets.io/data-hash': 'a7b8',
    };
    const annotated = { ...object, metadata: { ...object.metadata, annotations } };
    const secret = { ...annotated, apiVersion: 'v1', kind: 'Secret' };
    expect(mirroredForm(secret)).toEqual({ ...object, apiVersion: 'v1', kind: 'Secret' });
    expect(mirroredForm(annotated)).toBe(annotated);
    const strangers = { ...secret, apiVersion: 'example.com/v1' };
    expect(mirroredForm(strangers)).toBe(strangers);
  });
});

describe('the kind of a scope', () => {
  it.each([configMaps, leases])('is what its name was made of: $resource', (kind) => {
    const { group, resource } = kind;
    for (const narrowed of [
      {},
      { namespace: 'team.a' },
      { labels: 'a.b/c=d' },
      { namespace: 'a', fields: 'metadata.name=x', metadataOnly: true },
    ]) {
      expect(kindOfScope(scopeName({ kind, ...narrowed }))).toEqual({ group, resource });
    }
  });
});

describe('a term', () => {
  const realm = { cluster: 'c', group: '', resource: 'pods' };

  it.each([
    ['clusters', { ...realm, cluster: 'd' }, { kind: 'key', key: 'x' }],
    ['kinds', { ...realm, resource: 'nodes' }, { kind: 'key', key: 'x' }],
    ['groups', { ...realm, group: 'apps' }, { kind: 'key', key: 'x' }],
    ['sorts', realm, { kind: 'owner', uid: 'x' }],
    ['labels', realm, { kind: 'label', key: 'x', value: '' }],
  ] as const)('is another for other %s', (_, other, sought) => {
    expect(termOf(other, sought)).not.toBe(termOf(realm, { kind: 'key', key: 'x' }));
  });

  it('fits into the index however long it is', () => {
    const [one, two] = ['a', 'b'].map((end) =>
      termOf(realm, { kind: 'key', key: '🜚'.repeat(9_999) + end }),
    );
    expect(Buffer.byteLength(one ?? '')).toBeLessThan(2_700);
    expect(one).not.toBe(two);
  });
});

describe('a notice', () => {
  const place = { cluster: 'c', group: 'apps', resource: 'deployments', scope: 'deployments.apps' };
  const heard = (rows: readonly Pick<Row, 'namespace' | 'name'>[]) =>
    noticeFrom(`{"changes":7${noticeText(place, rows)}`);

  it('names what changed, each once', () => {
    const rows = [live('a', 'x'), dead('b', 'x'), live('c', 'y')];
    expect(heard(rows)).toEqual({ ...place, changes: 7, names: ['default/x', 'default/y'] });
  });

  it.each([100, 1_000, 100_000])('of %d rows is never longer than Postgres takes', (count) => {
    const rows = Array.from({ length: count }, (_, place) =>
      live('u', `a-rather-long-name-${place}`),
    );
    expect(Buffer.byteLength(noticeText(place, rows))).toBeLessThanOrEqual(7_000);
    expect(heard(rows)?.names?.length).toBe(count === 100 ? 100 : undefined);
  });

  it.each(['', 'null', '7', '{}', '{"changes":"7"}', '{'])('is not %j', (payload) => {
    expect(noticeFrom(payload)).toBeUndefined();
  });
});
