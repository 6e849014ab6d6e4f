import { describe, expect, it, onTestFinished } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { leases } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
import { openCertificateSource } from '#shared/runtime/serving/certificate-source.ts';
import { startReplicaLease } from '#shared/runtime/serving/replica-lease.ts';
import { secretIn, secretOf, secretPlace } from '#test/support/certificates/objects.ts';

const certificates = openCertificates();
const life = {
  notBefore: new Date('2029-01-01T00:00:00Z'),
  notAfter: new Date('2031-01-01T00:00:00Z'),
};
const ca = await certificates.issueCa(life);
const place = { kind: leases, namespace: 'gatehouse-system', name: 'gatehouse-r1' };

describe('the Lease of a replica', () => {
  it('is there before the replica is, with what it serves', async () => {
    const { cluster, serial } = await open();
    expect(await cluster.find(place)).toMatchObject({
      metadata: {
        labels: {
          'gatehouse.io/replica': 'admission',
          'app.kubernetes.io/managed-by': 'gatehouse',
        },
        annotations: {
          'gatehouse.io/certificate-serial': serial(),
          'gatehouse.io/certificate-authorities': ca.certificate,
        },
      },
      spec: {
        holderIdentity: 'r1',
        leaseDurationSeconds: 60,
        renewTime: '2030-01-01T00:00:00.000000Z',
      },
    });
  });

  it('is renewed, also over one that a crashed replica of the same name left', async () => {
    const { cluster, clock, lease } = await open();
    clock.advanceMs(5_000);
    await lease.renew();
    const spec = { renewTime: '2030-01-01T00:00:05.000000Z' };
    expect(await cluster.find(place)).toMatchObject({ spec });
    const again = await open(cluster);
    expect(await cluster.find(place)).toMatchObject({
      spec: { renewTime: again.clock.now().toISOString().replace('Z', '000Z') },
    });
  });

  it('tells of another leaf as soon as it is served, and not before', async () => {
    const { cluster, renewLeaf, source, lease, serial } = await open();
    const before = serial();
    await renewLeaf();
    await lease.renew();
    expect(await cluster.find(place)).toMatchObject({
      metadata: { annotations: { 'gatehouse.io/certificate-serial': before } },
    });

    await source.refresh();
    // The listener has put a renewal in line; this one comes behind it.
    await lease.renew();
    expect(serial()).not.toBe(before);
    expect(await cluster.find(place)).toMatchObject({
      metadata: { annotations: { 'gatehouse.io/certificate-serial': serial() } },
    });
  });

  it('goes with the replica', async () => {
    const { cluster, lease } = await open();
    await lease.stop();
    expect(await cluster.find(place)).toBeUndefined();
    await lease.renew();
    expect(await cluster.find(place)).toBeUndefined();
  });

  it('is not kept by a replica that serves nothing', async () => {
    const { cluster } = await open(clusterInMemory(), false);
    expect(await cluster.find(place)).toBeUndefined();
  });

  it('is missed, but the replica starts, where the cluster does not answer', async () => {
    const memory = clusterInMemory();
    const failing: Cluster = {
      ...memory,
      apply: () => Promise.reject(new Error('no route to host')),
    };
    const { conditions } = await open(failing);
    expect(conditions.find('replica-lease')).toMatchObject({
      holds: false,
      why: 'no route to host',
    });
  });
});

async function open(cluster: Cluster = clusterInMemory(), hasSecret = true) {
  const [clock, conditions] = [clockAt('2030-01-01T00:00:00Z'), conditionsRecorded()];
  const ports = { clock, conditions, certificates, settings: settingsFixed(), cluster };
  if (hasSecret && (await cluster.find(secretPlace)) === undefined) {
    await cluster.create(secretPlace.kind, await newSecret());
  }
  const source = await openCertificateSource({ ...ports, source: 'self', lookAgainMs: 0 });
  onTestFinished(() => source.close());
  const lease = await startReplicaLease({
    ...ports,
    replica: 'r1',
    role: 'admission',
    source,
    everyMs: 0,
  });
  const renewLeaf = async () => {
    const { resourceVersion } = (await secretIn(cluster)).metadata;
    await cluster.replace(secretPlace, await newSecret(), { resourceVersion });
  };
  return {
    cluster,
    clock,
    conditions,
    source,
    lease,
    renewLeaf,
    serial: () => source.current()?.serial,
  };
}

async function newSecret() {
  const { certificate: leaf, key: leafKey } = await certificates.issueLeaf({
    ca,
    dnsNames: ['a.svc'],
    ...life,
  });
  return secretOf({ ca: ca.certificate, caKey: ca.key, leaf, leafKey });
}
