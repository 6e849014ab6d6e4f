import { describe, expect, it } from 'vitest';
import rotateCertificate from '#functions/certificates/rotate-certificate.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { toBase64 } from '#shared/domain/certificates/pem.ts';
import { contentsOf, rotationOf } from '#shared/domain/certificates/secret.ts';
import { labels } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { leases } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Cluster } from '#shared/ports.ts';
import { leaseWith, namespace, secretIn, secretPlace } from '#test/support/certificates/objects.ts';
import { mutatingConfiguration, ofMutating } from '#test/support/certificates/webhooks.ts';

const certificates = openCertificates();
const day = 86_400_000;
const later = { kind: 'later', afterSeconds: 1 };

describe('rotate-certificate', () => {
  it('makes a CA and a leaf where there are none, for the names that API servers call', async () => {
    const { cluster, run } = world();
    expect(await run()).toEqual(later);

    const { ca, leaf, leafKey } = contentsOf(await secretIn(cluster));
    expect(certificates.isIssuedBy(leaf, ca)).toBe(true);
    expect(certificates.matches({ certificate: leaf, key: leafKey })).toBe(true);
    expect(certificates.read(leaf)).toMatchObject({
      notBefore: new Date('2029-12-31T23:55:00Z'),
      dnsNames: [
        'gatehouse-webhook.gatehouse-system.svc',
        'gatehouse-webhook.gatehouse-system.svc.cluster.local',
        'gatehouse-webhook.gatehouse-system',
      ],
    });
  });

  it('makes them once, however many replicas start together', async () => {
    const { cluster, run } = world();
    const outcomes = await Promise.all([run(), run(), run()]);
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['conflict', 'conflict', 'later']);

    const made = await secretIn(cluster);
    await run();
    expect(contentsOf(await secretIn(cluster))).toEqual(contentsOf(made));
  });

  it('goes through a whole rotation of the CA, with overlap', async () => {
    const asLong = { certificates: { leafLifetime: '8760h' } };
    const { cluster, clock, run, settle } = worldWith(asLong, mutatingConfiguration());
    await settle();
    const before = contentsOf(await secretIn(cluster));

    clock.advanceMs(336 * day);
    await serve(cluster, clock, before.leaf);
    await run();
    const announced = contentsOf(await secretIn(cluster));
    expect(announced).toMatchObject({ ca: before.ca, leaf: before.leaf });
    expect(announced.next).not.toBe('');
    expect(await run()).toMatchObject({ kind: 'later' });
    expect(await phase(cluster)).toBe('announcing');

    await carry(cluster, `${before.ca}${announced.next}`);
    await run();
    clock.advanceMs(10_000);
    await serve(cluster, clock, before.leaf);
    await run();
    const signed = contentsOf(await secretIn(cluster));
    expect(signed).toMatchObject({ ca: announced.next, old: before.ca, next: '' });
    expect(certificates.isIssuedBy(signed.leaf, announced.next)).toBe(true);

    await run();
    expect(await phase(cluster)).toBe('switching');
    await serve(cluster, clock, signed.leaf);
    await run();
    expect(contentsOf(await secretIn(cluster)).old).toBe(before.ca);
    clock.advanceMs(10_000);
    await serve(cluster, clock, signed.leaf);
    await run();
    expect(contentsOf(await secretIn(cluster))).toMatchObject({ ca: signed.ca, old: '', next: '' });
    expect(await run()).toEqual({ kind: 'done' });
  });

  it('renews a leaf under the same CA without a phase for the bundle', async () => {
    const { cluster, clock, run, settle } = world(mutatingConfiguration());
    await settle();
    const before = contentsOf(await secretIn(cluster));
    clock.advanceMs(61 * day);
    await run();
    const after = contentsOf(await secretIn(cluster));
    expect(after).toMatchObject({ ca: before.ca, caKey: before.caKey, next: '' });
    expect(after.leaf).not.toBe(before.leaf);
    expect(await run()).toEqual({ kind: 'done' });
  });

  it('issues a leaf anew when the configuration names another host', async () => {
    const { cluster, settings, run, settle } = world();
    await settle();
    settings.change({ certificates: { dnsNames: ['kim-snatch-webhook-service.kyma-system.svc'] } });
    await run();
    const { leaf } = contentsOf(await secretIn(cluster));
    expect(certificates.read(leaf)?.dnsNames).toContain(
      'kim-snatch-webhook-service.kyma-system.svc',
    );
    expect(await run()).toEqual({ kind: 'done' });
  });

  it('starts anew after the Secret was deleted by hand, and keeps nothing of the object before', async () => {
    const { cluster, run, settle } = world();
    await settle();
    const before = await secretIn(cluster);
    await cluster.delete(secretPlace);
    await run();
    const after = await secretIn(cluster);
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(contentsOf(after).ca).not.toBe(contentsOf(before).ca);
    expect(await phase(cluster)).toBe('introducing');
  });

  it('takes a CA put in by hand for new to everybody', async () => {
    const { cluster, run, settle } = world();
    await settle();
    const [ca, secret] = [await foreignCa(), await secretIn(cluster)];
    await cluster.replace(
      secretPlace,
      withData(secret, { 'ca.crt': ca.certificate, 'ca.key': ca.key }),
    );
    await run();
    const { leaf } = contentsOf(await secretIn(cluster));
    expect(certificates.isIssuedBy(leaf, ca.certificate)).toBe(true);
    expect(await phase(cluster)).toBe('introducing');
  });

  it('never touches a Secret of that name which is not labelled as ours, and says so', async () => {
    const theirs: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secretPlace.name, namespace },
      data: { 'tls.crt': 'bm90IG91cnM=' },
    };
    const { cluster, conditions, run } = world(theirs);
    const before = await secretIn(cluster);
    expect(await run()).toEqual({ kind: 'done' });
    expect(await secretIn(cluster)).toEqual(before);
    expect(conditions.find('certificate-rotation')).toMatchObject({ holds: false });
  });

  it.each([
    ['is no certificate', { 'ca.crt': 'hello', 'tls.crt': 'hello' }],
    ['is gone', { 'ca.crt': '', 'tls.crt': '' }],
  ])('makes a new CA where what stands in our own Secret %s, and says so', async (_, data) => {
    const { cluster, conditions, run, settle } = world();
    await settle();
    await cluster.replace(secretPlace, withData(await secretIn(cluster), data));
    await run();
    expect(conditions.find('certificate-rotation')).toMatchObject({ holds: false });
    const { ca, leaf } = contentsOf(await secretIn(cluster));
    expect(certificates.isIssuedBy(leaf, ca)).toBe(true);
  });

  it('keeps what others put beside its own into the Secret', async () => {
    const { cluster, clock, run, settle } = world();
    await settle();
    const secret = withData(await secretIn(cluster), { 'note.txt': 'mine' });
    const marked = {
      ...secret,
      metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, team: 'a' } },
    };
    await cluster.replace(secretPlace, marked);
    clock.advanceMs(61 * day);
    await run();
    const after = await secretIn(cluster);
    expect((after['data'] as JsonObject)['note.txt']).toBe(toBase64('mine'));
    expect(after.metadata.labels).toMatchObject({ team: 'a', [labels.managedBy]: 'gatehouse' });
  });

  it('writes nothing over what another replica wrote in between', async () => {
    const { cluster, clock, ports, settle } = world();
    await settle();
    clock.advanceMs(61 * day);
    const [read, meanwhile] = [await secretIn(cluster), await secretIn(cluster)];
    const { annotations: stated, ...metadata } = meanwhile.metadata;
    await cluster.replace(secretPlace, {
      ...meanwhile,
      metadata: { ...metadata, annotations: { ...stated, x: 'y' } },
    });
    const late: Cluster = {
      ...cluster,
      find: async (target) => (target.name === secretPlace.name ? read : cluster.find(target)),
    };
    expect(await rotateCertificate.handler(wake, { ...ports, cluster: late })).toMatchObject({
      kind: 'conflict',
    });
  });

  it('finds that the Secret was deleted while it was about to write', async () => {
    const { cluster, clock, ports, settle } = world();
    await settle();
    clock.advanceMs(61 * day);
    const read = await secretIn(cluster);
    await cluster.delete(secretPlace);
    const late: Cluster = {
      ...cluster,
      find: async (target) => (target.name === secretPlace.name ? read : cluster.find(target)),
    };
    expect(await rotateCertificate.handler(wake, { ...ports, cluster: late })).toMatchObject({
      kind: 'conflict',
    });
  });

  it('does not wait for a replica whose Lease is stale', async () => {
    const { cluster, clock, run } = world();
    await cluster.create(leases, leaseWith('dead', { serial: 'other', renewedAt: clock.now() }));
    await run();
    expect(await run()).toMatchObject({ kind: 'later' });
    expect(await phase(cluster)).toBe('introducing');
    clock.advanceMs(60_001);
    await run();
    expect(await phase(cluster)).toBe('retiring');
  });

  it('says so when it waits too long, and for whom', async () => {
    const { cluster, clock, conditions, run } = world();
    await run();
    clock.advanceMs(6 * 60_000);
    await cluster.create(leases, leaseWith('slow', { serial: 'other', renewedAt: clock.now() }));
    await run();
    expect(conditions.find('certificate-rotation')).toEqual({
      name: 'certificate-rotation',
      holds: false,
      why: 'gatehouse-slow does not serve the new leaf yet',
    });
  });

  it('has nothing to do where the certificate is mounted', async () => {
    const { cluster, run } = worldWith({ certificates: { source: 'files' } });
    expect(await run()).toEqual({ kind: 'done' });
    expect(await cluster.find(secretPlace)).toBeUndefined();
  });
});

const wake = { kind: 'period', function: 'rotate-certificate' } as const;

function world(...objects: readonly KubeObject[]) {
  return worldWith({}, ...objects);
}

function worldWith(stated: Partly<Settings>, ...objects: readonly KubeObject[]) {
  const cluster = clusterInMemory(...objects);
  const clock = clockAt('2030-01-01T00:00:00Z');
  const conditions = conditionsRecorded();
  const settings = settingsFixed(stated);
  const ports = { clock, settings, cluster, certificates, conditions };
  const run = async () => rotateCertificate.handler(wake, ports);
  /** From nothing to steady life: made, introduced, settled. */
  const settle = async () => {
    for (let i = 0; i < 4; i++) {
      await run();
      clock.advanceMs(10_000);
    }
    expect(await run()).toEqual({ kind: 'done' });
  };
  return { cluster, clock, conditions, settings, ports, run, settle };
}

async function phase(cluster: Cluster): Promise<string | undefined> {
  return rotationOf(await secretIn(cluster), certificates)?.phase;
}

/** As a replica reports that it serves the leaf. */
async function serve(cluster: Cluster, clock: { now(): Date }, leaf: string): Promise<void> {
  const serial = certificates.read(leaf)?.serial ?? '';
  const lease = leaseWith('r1', { serial, renewedAt: clock.now() });
  const target = { kind: leases, namespace, name: 'gatehouse-r1' };
  await cluster.apply(target, lease, { fieldManager: 'test', force: true });
}

async function carry(cluster: Cluster, bundle: string): Promise<void> {
  const value = toBase64(bundle);
  const operations = [0, 1].map(
    (index) => ({ op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value }) as const,
  );
  await cluster.patch(ofMutating, { type: 'json', operations });
}

function foreignCa() {
  return certificates.issueCa({
    notBefore: new Date('2029-01-01T00:00:00Z'),
    notAfter: new Date('2039-01-01T00:00:00Z'),
  });
}

function withData(secret: KubeObject, data: Readonly<Record<string, string>>): KubeObject {
  const encoded = Object.entries(data).map(([key, text]) => [key, toBase64(text)]);
  return { ...secret, data: { ...(secret['data'] as JsonObject), ...Object.fromEntries(encoded) } };
}
