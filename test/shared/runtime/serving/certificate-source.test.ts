import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { toBase64 } from '#shared/domain/certificates/pem.ts';
import type { Phase } from '#shared/domain/certificates/rotation.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, KeyPair } from '#shared/ports.ts';
import {
  type CertificateSource,
  openCertificateSource,
} from '#shared/runtime/serving/certificate-source.ts';
import { secretIn, secretOf, secretPlace } from '#test/support/certificates/objects.ts';
import { mutatingConfiguration, ofMutating } from '#test/support/certificates/webhooks.ts';

const certificates = openCertificates();
const life = {
  notBefore: new Date('2029-01-01T00:00:00Z'),
  notAfter: new Date('2031-01-01T00:00:00Z'),
};
const dnsNames = ['gatehouse-webhook.gatehouse-system.svc'];
const issue = (ca: KeyPair, lifetime = life) =>
  certificates.issueLeaf({ ca, dnsNames, ...lifetime });
const [ca, otherCa] = [await certificates.issueCa(life), await certificates.issueCa(life)];
const [first, second, foreign] = [await issue(ca), await issue(ca), await issue(otherCa)];

describe('the Secret as source', () => {
  it('comes up with nothing, and serves the first pair as soon as it is made', async () => {
    const { source, cluster, conditions } = await open();
    expect(source.current()).toBeUndefined();
    expect(conditions.find('serving-certificate')).toMatchObject({ holds: false });

    const waiting = source.first(new AbortController().signal);
    await cluster.create(secretPlace.kind, holding(ca, first, 'introducing'));
    await source.refresh();
    expect(await waiting).toMatchObject({
      ...first,
      serial: serialOf(first),
      authorities: ca.certificate,
    });
    expect(conditions.find('serving-certificate')).toMatchObject({ holds: true });
  });

  it('gives up waiting for the first pair when it is told to', async () => {
    const { source } = await open();
    const stop = new AbortController();
    const waiting = source.first(stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });

  it('does not begin to wait when it was told to stop before', async () => {
    const { source } = await open();
    const stopped = AbortSignal.abort(new Error('stopped before'));
    await expect(source.first(stopped)).rejects.toThrow('stopped before');
  });

  it('takes up a renewed leaf at once, and says so once', async () => {
    const { source, replace, changes } = await open(holding(ca, first));
    await replace(holding(ca, second));
    expect(source.current()?.serial).toBe(serialOf(second));
    await source.refresh();
    expect(changes()).toBe(1);
  });

  it.each([
    [
      'torn',
      { ...second, certificate: second.certificate.slice(0, 200) },
      ca,
      'tls.crt is no certificate',
    ],
    ['of another key', { ...second, key: first.key }, ca, 'tls.key is not the key of tls.crt'],
    ['of another CA', foreign, ca, 'tls.crt is not issued by ca.crt'],
    ['empty', { certificate: '', key: '' }, ca, 'tls.crt is no certificate'],
  ])('keeps the last good pair when the next one is %s', async (_, pair, issuer, why) => {
    const { source, replace, conditions, changes } = await open(holding(ca, first));
    await replace(holding(issuer, pair));
    expect(source.current()?.serial).toBe(serialOf(first));
    expect(changes()).toBe(0);
    expect(conditions.find('serving-certificate')).toEqual({
      name: 'serving-certificate',
      holds: false,
      why: `${why}; the last good one is served`,
    });
    await replace(holding(ca, second));
    expect(source.current()?.serial).toBe(serialOf(second));
    expect(conditions.find('serving-certificate')).toMatchObject({ holds: true });
  });

  it('keeps it when the Secret is gone, and when the cluster is', async () => {
    const { source, cluster, break: fail } = await open(holding(ca, first));
    await cluster.delete(secretPlace);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(first));
    fail(new Error('no route to host'));
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(first));
  });

  it('trusts the rotation that a new CA is known', async () => {
    const { source, replace } = await open(holding(ca, first), mutatingConfiguration());
    await replace(holding(otherCa, foreign, 'switching'));
    expect(source.current()?.serial).toBe(serialOf(foreign));
  });

  it('holds a CA that nobody vouches for until every bundle carries it and has settled', async () => {
    const { source, clock, cluster, replace, carry } = await open(
      holding(ca, first),
      mutatingConfiguration(),
    );
    await replace(holding(otherCa, foreign, 'introducing'));
    expect(source.current()?.serial).toBe(serialOf(first));
    expect(source.authorities()).toBe(`${ca.certificate}${otherCa.certificate}`);

    await carry(0, otherCa);
    clock.advanceMs(10_000);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(first));

    await carry(1, otherCa);
    await source.refresh();
    clock.advanceMs(9_999);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(first));
    clock.advanceMs(1);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(foreign));
    expect((await secretIn(cluster)).metadata.name).toBe(secretPlace.name);
  });

  it('counts the settle time anew when a bundle was written meanwhile', async () => {
    const { source, clock, replace, carry } = await open(
      holding(ca, first),
      mutatingConfiguration(),
    );
    await replace(holding(otherCa, foreign, 'introducing'));
    await carry(0, otherCa);
    await carry(1, otherCa);
    await source.refresh();
    clock.advanceMs(9_000);
    await carry(0, ca);
    await carry(0, otherCa);
    await source.refresh();
    clock.advanceMs(9_999);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(first));
  });

  it('takes a CA put in by hand for one that nobody vouches for, whatever the annotation says', async () => {
    const { source, replace } = await open(holding(ca, first), mutatingConfiguration());
    await replace({ ...holding(otherCa, foreign), metadata: holding(ca, first).metadata });
    expect(source.current()?.serial).toBe(serialOf(first));
  });

  it('waits no longer than what it serves is valid', async () => {
    const { source, clock, replace } = await open(holding(ca, first), mutatingConfiguration());
    await replace(holding(otherCa, foreign, 'introducing'));
    clock.setTo('2030-12-31T23:59:57Z');
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(first));
    clock.setTo('2030-12-31T23:59:58Z');
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(foreign));
  });

  it('keeps naming the CA before for the settle time', async () => {
    const { source, clock, replace } = await open(holding(ca, first));
    await replace(holding(otherCa, foreign, 'switching'));
    expect(source.authorities()).toBe(`${ca.certificate}${otherCa.certificate}`);
    clock.advanceMs(10_000);
    expect(source.authorities()).toBe(otherCa.certificate);
  });
});

describe('mounted files as source', () => {
  it('serve without any cluster, and are taken up at once there', async () => {
    const { directory, write } = await mounted(first, ca.certificate);
    const { source, conditions } = await openFiles(directory);
    expect(source.current()?.serial).toBe(serialOf(first));
    await write(foreign, otherCa.certificate);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(foreign));
    expect(conditions.find('serving-certificate')?.why).toContain('no cluster can be asked');
  });

  it('are taken up at once where there is no webhook configuration', async () => {
    const { directory, write } = await mounted(first, ca.certificate);
    const { source, conditions } = await openFiles(directory, clusterInMemory());
    await write(foreign, otherCa.certificate);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(foreign));
    expect(conditions.find('serving-certificate')?.why).toContain('no webhook configuration');
  });

  it('wait for the bundle where there is one', async () => {
    const { directory, write } = await mounted(first, ca.certificate);
    const { source } = await openFiles(directory, clusterInMemory(mutatingConfiguration()));
    await write(foreign, otherCa.certificate);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(first));
    expect(source.authorities()).toBe(`${ca.certificate}${otherCa.certificate}`);
  });

  it('may have no CA of their own, and a chain of several', async () => {
    const { directory, write } = await mounted(first, '');
    const { source } = await openFiles(directory);
    expect(source.current()?.serial).toBe(serialOf(first));
    await write(
      { ...second, certificate: `${second.certificate}${ca.certificate}` },
      ca.certificate,
    );
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(second));
  });

  it('are kept out where TLS itself would refuse them, and what is served stays', async () => {
    const { directory, write } = await mounted(first, ca.certificate);
    const { source, conditions } = await openFiles(directory);
    const damaged = '-----BEGIN CERTIFICATE-----\nMAAB\n-----END CERTIFICATE-----\n';
    await write({ ...second, certificate: `${second.certificate}${damaged}` }, ca.certificate);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(first));
    expect(conditions.find('serving-certificate')).toMatchObject({ holds: false });

    await write(second, ca.certificate);
    await source.refresh();
    expect(source.current()?.serial).toBe(serialOf(second));
  });

  it('tell by themselves that they changed', async () => {
    const { directory, write } = await mounted(first, ca.certificate);
    const { source } = await openFiles(directory);
    const changed = new Promise<void>((resolve) => source.onChange(resolve));
    await write(second, ca.certificate);
    await changed;
    expect(source.current()?.serial).toBe(serialOf(second));
  });
});

async function open(...objects: readonly KubeObject[]) {
  const memory = clusterInMemory(...objects);
  const failures: Error[] = [];
  const cluster: Cluster = {
    ...memory,
    find: async (target) => {
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      return memory.find(target);
    },
  };
  const [clock, conditions] = [clockAt('2030-01-01T00:00:00Z'), conditionsRecorded()];
  const options = { clock, conditions, certificates, settings: settingsFixed(), cluster };
  const source = await openCertificateSource({ ...options, source: 'self', lookAgainMs: 0 });
  onTestFinished(() => source.close());
  const replace = async (secret: KubeObject) => {
    const { resourceVersion } = (await secretIn(memory)).metadata;
    await memory.replace(secretPlace, secret, { resourceVersion });
    await source.refresh();
  };
  const carry = async (index: number, { certificate }: KeyPair) => {
    const path = `/webhooks/${index}/clientConfig/caBundle`;
    const operation = { op: 'add', path, value: toBase64(certificate) } as const;
    await memory.patch(ofMutating, { type: 'json', operations: [operation] });
  };
  const changes = counted(source);
  const fail = (failure: Error) => void failures.push(failure);
  return { source, clock, conditions, cluster: memory, replace, carry, changes, break: fail };
}

async function openFiles(directory: string, cluster?: Cluster) {
  const conditions = conditionsRecorded();
  const settings = settingsFixed({ certificates: { directory } });
  const options = {
    conditions,
    certificates,
    settings,
    cluster,
    clock: clockAt('2030-01-01T00:00:00Z'),
  };
  const source = await openCertificateSource({ ...options, source: 'files', lookAgainMs: 0 });
  onTestFinished(() => source.close());
  return { source, conditions };
}

async function mounted(pair: KeyPair, authority: string) {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-source-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const write = async ({ certificate, key }: KeyPair, ca: string) => {
    await writeFile(join(directory, 'ca.crt'), ca);
    await writeFile(join(directory, 'tls.crt'), certificate);
    await writeFile(join(directory, 'tls.key'), key);
  };
  await write(pair, authority);
  return { directory, write };
}

function counted(source: CertificateSource): () => number {
  const seen: true[] = [];
  source.onChange(() => seen.push(true));
  return () => seen.length;
}

function holding(issuer: KeyPair, pair: KeyPair, phase: Phase = 'steady'): KubeObject {
  const stated = { phase, ca: serialOf(issuer), since: new Date('2030-01-01T00:00:00Z') };
  const { certificate: leaf, key: leafKey } = pair;
  return secretOf({ ca: issuer.certificate, caKey: issuer.key, leaf, leafKey }, stated);
}

function serialOf({ certificate }: KeyPair): string {
  const facts = certificates.read(certificate);
  if (facts === undefined) throw new Error('no certificate');
  return facts.serial;
}
