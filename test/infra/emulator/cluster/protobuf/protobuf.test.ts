import { describe, expect, it } from 'vitest';
import { objectFrom } from '#infra/emulator/cluster/protobuf/reading.ts';
import { emulated } from '../emulated.ts';

/** A field of a message: number, then bytes or a small number. */
function field(number: number, value: string | Buffer | number): Buffer {
  if (typeof value === 'number') return Buffer.from([number << 3, value]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

function message(...fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function sent(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const type = message(field(1, apiVersion), field(2, kind));
  return message(Buffer.from('k8s\0'), field(1, type), field(2, raw), field(3, ''), field(4, ''));
}

/** As `kubectl create configmap x --from-literal=a=1` sends it. */
const captured = Buffer.from(
  '6b3873000a0f0a02763112 09436f6e6669674d6170 121b 0a11 0a0178 1200 1a00 2200 2a00 3200 3800 4200 1206 0a0161 120131 1a00 2200'.replaceAll(
    ' ',
    '',
  ),
  'hex',
);

describe('an object in protobuf', () => {
  it('is what it would be in JSON, as kubectl sends it', () => {
    expect(objectFrom(captured)).toEqual({
      value: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' }, data: { a: '1' } },
    });
  });

  it('keeps a zero that was stated, and drops one that only stands for nothing', () => {
    const spec = message(field(1, 0), field(5, 0));
    const raw = message(field(1, field(1, 'web')), field(2, spec));
    expect(objectFrom(sent('apps/v1', 'Deployment', raw))).toMatchObject({
      value: { spec: { replicas: 0 } },
    });
    expect(JSON.stringify(objectFrom(sent('apps/v1', 'Deployment', raw)))).not.toContain(
      'minReadySeconds',
    );
  });

  it('has quantities, ports by name, times and inline parts as texts and fields', () => {
    const quantity = field(1, '100m');
    const limits = field(1, message(field(1, 'cpu'), field(2, quantity)));
    const get = field(2, message(field(2, message(field(1, 1), field(3, 'http')))));
    const probe = field(10, message(field(1, get)));
    const container = message(field(1, 'a'), field(8, limits), probe);
    const volume = message(field(1, 'v'), field(2, field(2, field(1, 'mem'))));
    const metadata = message(field(1, 'p'), field(8, message(field(1, 100), field(2, 0))));
    const raw = message(
      field(1, metadata),
      field(2, message(field(1, volume), field(2, container))),
    );
    expect(objectFrom(sent('v1', 'Pod', raw))).toMatchObject({
      value: {
        metadata: { creationTimestamp: '1970-01-01T00:01:40Z' },
        spec: {
          volumes: [{ name: 'v', emptyDir: { medium: 'mem' } }],
          containers: [
            {
              name: 'a',
              resources: { limits: { cpu: '100m' } },
              livenessProbe: { httpGet: { port: 'http' } },
            },
          ],
        },
      },
    });
  });

  it.each([
    ['no protobuf', Buffer.from('{}'), /does not appear to be a protobuf message/],
    ['half of one', captured.subarray(0, 40), /in the middle|range/],
    [
      'a kind that nobody knows',
      sent('v9', 'Nope', Buffer.alloc(0)),
      /no kind "Nope" is registered for version "v9"/,
    ],
  ])('is refused where it is %s', (_, bytes, why) => {
    const read = objectFrom(bytes);
    expect('problem' in read && read.problem).toMatch(why);
  });
});

describe('a server that is sent protobuf', async () => {
  const { ask, namespace } = await emulated();

  it('takes it, and answers in JSON', async () => {
    const type = 'application/vnd.kubernetes.protobuf';
    const path = `/api/v1/namespaces/${await namespace()}/configmaps`;
    const { status, body } = await ask(`POST ${path}`, {
      body: captured,
      type,
      accept: `${type},application/json`,
    });
    expect([status, body['data']]).toEqual([201, { a: '1' }]);
  });
});
