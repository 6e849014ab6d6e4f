import { describe, expect, it } from 'vitest';
import healCaBundle from '#functions/certificates/heal-ca-bundle.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { bundleOf, fromBase64, isSameBundle, toBase64 } from '#shared/domain/certificates/pem.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Cluster } from '#shared/ports.ts';
import { leaseWith, secretIn, secretOf, secretPlace } from '#test/support/certificates/objects.ts';
import {
  bundlesOf,
  mutatingConfiguration,
  ofMutating,
} from '#test/support/certificates/webhooks.ts';

const certificates = openCertificates();
const clock = clockAt('2030-01-01T00:00:00Z');
const life = {
  notBefore: new Date('2029-01-01T00:00:00Z'),
  notAfter: new Date('2031-01-01T00:00:00Z'),
};
const authority = async () => (await certificates.issueCa(life)).certificate;
const [one, two, three] = [await authority(), await authority(), await authority()];

describe('heal-ca-bundle', () => {
  it('writes the CA into every entry, and nothing else, in one write', async () => {
    const { cluster, run } = world(mutatingConfiguration(), secretOf({ ca: one }));
    const before = await configuration(cluster);

    expect(await run()).toEqual({ kind: 'done' });
    const after = await configuration(cluster);
    expect(trustedBy(after)).toEqual([one, one]);
    expect(withoutBundles(after)).toEqual(withoutBundles(before));
    expect(generationOf(after)).toBe(generationOf(before) + 1);
  });

  it('writes nothing the second time', async () => {
    const { cluster, run } = world(mutatingConfiguration(), secretOf({ ca: one }));
    await run();
    const before = await configuration(cluster);
    expect(await run()).toEqual({ kind: 'done' });
    expect(await configuration(cluster)).toEqual(before);
  });

  it('takes the same CAs in another spelling for what they are', async () => {
    const spelled = toBase64(`# ours\n${two.replaceAll('\n', '\r\n')}${one}`);
    const stated = mutatingConfiguration({ clientConfig: { ...service, caBundle: spelled } });
    const { cluster, run } = world(stated, secretOf({ ca: one, next: two }));
    const before = await configuration(cluster);
    await run();
    expect(await configuration(cluster)).toEqual(before);
  });

  it('carries the CA before, the present and the next through a rotation, in one text', async () => {
    const { cluster, run } = world(mutatingConfiguration(), secretOf({ ca: one, next: two }));
    await run();
    const announced = await configuration(cluster);
    expect(trustedBy(announced)).toEqual([`${one}${two}`, `${one}${two}`]);

    await cluster.replace(secretPlace, {
      ...secretOf({ old: one, ca: two }),
      metadata: (await secretIn(cluster)).metadata,
    });
    await run();
    expect(await configuration(cluster)).toEqual(announced);
  });

  it('carries what living replicas serve, and forgets what dead ones served', async () => {
    const { cluster, run } = world(
      mutatingConfiguration(),
      secretOf({ ca: one }),
      lease('alive', two, 0),
      lease('dead', three, 61),
    );
    await run();
    expect(isSameBundle(trustedBy(await configuration(cluster))[0] ?? '', `${one}${two}`)).toBe(
      true,
    );
  });

  it('takes it from the replicas alone where the certificate is mounted', async () => {
    const source = { certificates: { source: 'files' } } as const;
    const { cluster, run } = worldWith(
      source,
      mutatingConfiguration(),
      secretOf({ ca: one }),
      lease('a', two, 0),
      lease('b', three, 0),
    );
    await run();
    expect(isSameBundle(trustedBy(await configuration(cluster))[0] ?? '', `${two}${three}`)).toBe(
      true,
    );
  });

  it('mends an entry that was wiped, alone', async () => {
    const { cluster, run, conditions } = world(mutatingConfiguration(), secretOf({ ca: one }));
    await run();
    const whole = await configuration(cluster);
    const wiped = {
      ...whole,
      webhooks: (whole['webhooks'] as JsonObject[]).map((each, i) =>
        i === 0 ? { ...each, clientConfig: service } : each,
      ),
    };
    await cluster.replace(ofMutating, wiped);

    await run();
    expect(conditions.find('ca-bundle')).toMatchObject({
      holds: false,
      why: 'gatehouse/pods.mutate.gatehouse.io lost its CA',
    });
    expect(withoutVersion(await configuration(cluster))).toEqual(withoutVersion(whole));
    await run();
    expect(conditions.find('ca-bundle')).toMatchObject({ holds: true });
  });

  it('writes nothing over what somebody wrote in between', async () => {
    const { cluster, ports } = world(mutatingConfiguration(), secretOf({ ca: one }));
    const meddling: Cluster = {
      ...cluster,
      async patch(target, body, options) {
        await cluster.patch(target, {
          type: 'merge',
          body: { metadata: { labels: { touched: 'yes' } } },
        });
        return cluster.patch(target, body, options);
      },
    };
    const outcome = await healCaBundle.handler(wake, { ...ports, cluster: meddling });
    expect(outcome.kind).toBe('conflict');
    expect(trustedBy(await configuration(cluster))).toEqual(['', '']);
  });

  it('does not take an entry for another that stands in its place now', async () => {
    const { cluster, run, ports } = world(mutatingConfiguration(), secretOf({ ca: one }));
    const stale = await configuration(cluster);
    const entries = (stale['webhooks'] as JsonObject[]).toReversed();
    await cluster.replace(ofMutating, { ...stale, webhooks: entries });
    const unversioned: Cluster = {
      ...cluster,
      find: async (target) =>
        target.name === 'gatehouse' && target.kind === ofMutating.kind
          ? stale
          : cluster.find(target),
      patch: (target, body) => cluster.patch(target, body),
    };
    expect((await healCaBundle.handler(wake, { ...ports, cluster: unversioned })).kind).toBe(
      'conflict',
    );
    expect((await run()).kind).toBe('done');
  });

  it('leaves alone a configuration that is not labelled as ours, and says so', async () => {
    const { cluster, run, conditions } = world(
      mutatingConfiguration({ managed: false }),
      secretOf({ ca: one }),
    );
    await run();
    expect(trustedBy(await configuration(cluster))).toEqual(['', '']);
    expect(conditions.find('ca-bundle')?.why).toContain(
      'not labelled app.kubernetes.io/managed-by=gatehouse',
    );
  });

  it.each([
    [
      'leaves an entry alone whose URL has a certificate of somebody else',
      'https://abc.execute-api.eu-central-1.amazonaws.com/mutate',
      '',
    ],
    [
      'mends an entry whose URL names a host of our leaf',
      'https://hooks.corp.test:9443/mutate',
      one,
    ],
    ['mends an entry whose URL names an address of our leaf', 'https://[::1]:9443/mutate', one],
  ])('%s', async (_, url, expected) => {
    const dnsNames = ['hooks.corp.test', '::1'];
    const { cluster, run } = worldWith(
      { certificates: { dnsNames } },
      mutatingConfiguration({ clientConfig: { url } }),
      secretOf({ ca: one }),
    );
    await run();
    expect(trustedBy(await configuration(cluster))).toEqual([expected, expected]);
  });

  it('says what is missing while there is no webhook configuration', async () => {
    const { run, conditions } = world(secretOf({ ca: one }));
    expect(await run()).toEqual({ kind: 'done' });
    expect(conditions.find('ca-bundle')).toMatchObject({
      holds: false,
      why: expect.stringContaining('MutatingWebhookConfiguration gatehouse'),
    });
  });

  it('writes nothing while there is no CA', async () => {
    const { cluster, run, conditions } = world(mutatingConfiguration());
    expect(await run()).toEqual({ kind: 'done' });
    expect(trustedBy(await configuration(cluster))).toEqual(['', '']);
    expect(conditions.find('ca-bundle')).toMatchObject({ holds: false, why: 'there is no CA yet' });
  });

  it('lets an outage through to its loop', async () => {
    const { cluster, ports } = world(mutatingConfiguration(), secretOf({ ca: one }));
    const failing: Cluster = { ...cluster, patch: () => Promise.reject(new Error('forbidden')) };
    await expect(healCaBundle.handler(wake, { ...ports, cluster: failing })).rejects.toThrow(
      'forbidden',
    );
  });
});

const wake = { kind: 'period', function: 'heal-ca-bundle' } as const;
const service = {
  service: {
    name: 'gatehouse-webhook',
    namespace: 'gatehouse-system',
    path: '/mutate/pods',
    port: 443,
  },
};
function world(...objects: readonly KubeObject[]) {
  return worldWith({}, ...objects);
}

function worldWith(settings: Partly<Settings>, ...objects: readonly KubeObject[]) {
  const cluster = clusterInMemory(...objects);
  const conditions = conditionsRecorded();
  const ports = { clock, settings: settingsFixed(settings), cluster, certificates, conditions };
  return { cluster, conditions, ports, run: async () => healCaBundle.handler(wake, ports) };
}

function lease(replica: string, authorities: string, secondsAgo = 0): KubeObject {
  const renewedAt = new Date(clock.now().getTime() - secondsAgo * 1_000);
  return leaseWith(replica, { authorities, renewedAt });
}

async function configuration(cluster: Cluster): Promise<KubeObject> {
  const found = await cluster.find(ofMutating);
  if (found === undefined) throw new Error('there is no configuration');
  return found;
}

function trustedBy(object: KubeObject): readonly string[] {
  return bundlesOf(object).map((bundle) => bundleOf(fromBase64(bundle)));
}

function withoutBundles(object: KubeObject): JsonObject {
  return JSON.parse(
    JSON.stringify(withoutVersion(object), (key, value) =>
      key === 'caBundle' ? undefined : value,
    ),
  );
}

function withoutVersion({ metadata, ...rest }: KubeObject): JsonObject {
  const { resourceVersion: _, generation: __, ...others } = metadata;
  return { ...rest, metadata: others };
}

function generationOf({ metadata }: KubeObject): number {
  return Number(metadata['generation']);
}
