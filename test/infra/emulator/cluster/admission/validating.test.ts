import { describe, expect, it } from 'vitest';
import { admitting, configMap, configuration, mapKind } from './admitting.ts';
import { opened } from './opened.ts';

const map = admitting(mapKind, configMap());
const nobody = { url: 'https://127.0.0.1:9/x', caBundle: '' };

describe('validating webhooks', () => {
  it('are asked all at once', async () => {
    const { admission, server, reading, at } = await opened();
    const waiting: (() => void)[] = [];
    for (const path of ['/a', '/b', '/c']) {
      server.on(path, ({ request }, raw) => {
        waiting.push(() =>
          raw.end(
            JSON.stringify({
              apiVersion: 'admission.k8s.io/v1',
              kind: 'AdmissionReview',
              response: { uid: request['uid'], allowed: true },
            }),
          ),
        );
        // Nobody is answered before the last one has been asked.
        if (waiting.length === 3) for (const answer of waiting) answer();
        return undefined;
      });
    }
    const hooks = ['/a', '/b', '/c'].map((path) => ({ clientConfig: at(path) }));
    reading.put(configuration('Validating', 'x', ...hooks));
    expect(await admission.validate(map)).toEqual({ warnings: [], auditAnnotations: {} });
  });

  it('tell their warnings once, and their annotations under their names', async () => {
    const { admission, server, reading, at } = await opened();
    server.on('/a', () => ({ warnings: ['w1', 'w2'], auditAnnotations: { key: 'a' } }));
    server.on('/b', () => ({ warnings: ['w2'], auditAnnotations: { key: 'b' } }));
    reading.put(
      configuration('Validating', 'one', { clientConfig: at('/a') }),
      configuration('Validating', 'two', { clientConfig: at('/b') }),
    );
    const heard = await admission.validate(map);
    expect(heard).toMatchObject({
      auditAnnotations: { 'one.example.com/key': 'a', 'two.example.com/key': 'b' },
    });
    expect('warnings' in heard && heard.warnings.toSorted()).toEqual(['w1', 'w2']);
  });

  it('deny in their own words', async () => {
    const { admission, server, reading, at } = await opened();
    server.on('/a', () => ({ allowed: false, status: { message: 'because', code: 418 } }));
    reading.put(configuration('Validating', 'x', { clientConfig: at('/a') }));
    const message = 'admission webhook "x.example.com" denied the request: because';
    expect(await admission.validate(map)).toMatchObject({ code: 418, body: { message } });
  });

  it('that cannot be asked stop the request, unless they may fail', async () => {
    const { admission, reading } = await opened();
    reading.put(configuration('Validating', 'x', { clientConfig: nobody, timeoutSeconds: 3 }));
    expect(await admission.validate(map)).toMatchObject({
      code: 500,
      body: {
        message:
          'Internal error occurred: failed calling webhook "x.example.com": failed to call webhook: Post "https://127.0.0.1:9/x?timeout=3s": dial tcp 127.0.0.1:9: connect: connection refused',
      },
    });
    reading.put(
      configuration('Validating', 'x', { clientConfig: nobody, failurePolicy: 'Ignore' }),
    );
    expect(await admission.validate(map)).toMatchObject({ warnings: [] });
  });

  it('that do something beside are not asked by a dry run', async () => {
    const { admission, server, reading, at } = await opened();
    server.on('/a', () => ({}));
    reading.put(configuration('Validating', 'x', { clientConfig: at('/a'), sideEffects: 'Some' }));
    const dryRun = { ...map, dryRun: true };
    expect(await admission.validate(dryRun)).toMatchObject({
      code: 400,
      body: { message: 'admission webhook "x.example.com" does not support dry run' },
    });
    reading.put(
      configuration('Validating', 'x', { clientConfig: at('/a'), sideEffects: 'NoneOnDryRun' }),
    );
    expect(await admission.validate(dryRun)).toMatchObject({ warnings: [] });
    expect(server.received.map(({ request }) => request['dryRun'])).toEqual([true]);
  });

  it('whose conditions do not hold are not asked', async () => {
    const { admission, server, reading, at } = await opened();
    server.on('/a', () => ({}));
    const matchConditions = [{ name: 'c', expression: 'request.userInfo.username != "alice"' }];
    reading.put(configuration('Validating', 'x', { clientConfig: at('/a'), matchConditions }));
    await admission.validate(map);
    await admission.validate({ ...map, user: { name: 'bob', groups: [] } });
    expect(server.received).toHaveLength(1);
  });
});
