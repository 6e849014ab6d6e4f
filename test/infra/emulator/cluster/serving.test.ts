import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { asker } from '#shared/adapters/cluster/ask.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configMap, emulated, metadataOf } from './emulated.ts';

const { ask, namespace, cluster } = await emulated();

const nobody = { authorization: '' };

describe('who asks', () => {
  it.each([
    ['a certificate', cluster.kubeconfig, [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)]],
    ['a token', cluster.tokenKubeconfig, undefined],
  ])('is known by %s, over TLS that its own CA vouches for', async (_, text, id) => {
    const session = await openSession({ kind: 'kubeconfig-text', text });
    const limits = { deadlineMs: 10_000, maxAnswerBytes: 1e6, userAgent: 'gatehouse-test' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const answer = await asker(session, limits)({ what: 'ask', method: 'POST', path, body });
    session.close();
    const { userInfo } = (answer.body as { readonly status: { readonly userInfo: JsonObject } })
      .status;
    expect(userInfo['username']).toBe('kubernetes-admin');
    const extra = id && { 'authentication.kubernetes.io/credential-id': id };
    expect(userInfo['extra']).toEqual(extra);
  });

  it('is nobody without either, and may read no more than what is public', async () => {
    const refused = await ask('GET /api/v1/namespaces/default/pods/p/log', { headers: nobody });
    expect([refused.status, refused.body['message']]).toEqual([
      403,
      'pods "p" is forbidden: User "system:anonymous" cannot get resource "pods/log" in API group "" in the namespace "default"',
    ]);
    expect((await ask('GET /readyz', { headers: nobody })).text).toBe('ok');
    const page = await ask('POST /nope', { headers: nobody });
    expect(page.body['message']).toBe(
      'forbidden: User "system:anonymous" cannot post path "/nope"',
    );
  });

  it('is refused with a token that nobody has given', async () => {
    const headers = { authorization: 'Bearer made-up' };
    expect((await ask('GET /api', { headers })).status).toBe(401);
  });

  it('may be somebody else, as far as he may at all', async () => {
    const headers = { 'impersonate-user': 'bob' };
    const { status, body } = await ask('GET /api/v1/nodes', { headers });
    expect([status, String(body['message'])]).toEqual([
      403,
      expect.stringContaining('User "bob" cannot list'),
    ]);
  });

  it('with the right to change alone makes nothing new', async () => {
    const at = await namespace();
    const role = {
      metadata: { name: 'patcher' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }],
    };
    await ask(`POST /apis/rbac.authorization.k8s.io/v1/namespaces/${at}/roles`, { body: role });
    const binding = {
      metadata: { name: 'patcher' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'patcher' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
    };
    await ask(`POST /apis/rbac.authorization.k8s.io/v1/namespaces/${at}/rolebindings`, {
      body: binding,
    });
    const call = {
      body: configMap('a'),
      type: 'application/apply-patch+yaml',
      headers: { 'impersonate-user': 'bob' },
    };
    const path = `/api/v1/namespaces/${at}/configmaps/a?fieldManager=bob`;
    expect((await ask(`PATCH ${path}`, call)).status).toBe(403);
    await ask(`POST /api/v1/namespaces/${at}/configmaps`, { body: configMap('a') });
    expect((await ask(`PATCH ${path}&force=true`, call)).status).toBe(200);
  });
});

describe('discovery', () => {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

  it('lists groups, versions and resources with their subresources', async () => {
    expect((await ask('GET /apis/apps')).body).toMatchObject({ kind: 'APIGroup', name: 'apps' });
    const { body } = await ask('GET /apis/apps/v1');
    const resources = body['resources'] as readonly JsonObject[];
    expect(resources.find(({ name }) => name === 'deployments')).toMatchObject({
      ...{
        singularName: 'deployment',
        namespaced: true,
        kind: 'Deployment',
        shortNames: ['deploy'],
      },
      ...{ categories: ['all'], storageVersionHash: '8aSe+NMegvE=' },
    });
    expect(resources.find(({ name }) => name === 'deployments/scale')).toMatchObject({
      ...{ group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
    });
  });

  it('says all of it in one answer to those who ask for that', async () => {
    const { body, headers } = await ask('GET /apis', { accept: `${aggregated},application/json` });
    expect(headers.get('content-type')).toBe(aggregated);
    const groups = (body['items'] as readonly JsonObject[]).map((each) => metadataOf(each)['name']);
    expect(groups).toEqual(expect.arrayContaining(['apps', 'batch', 'rbac.authorization.k8s.io']));
    const core = await ask('GET /api', { accept: aggregated });
    expect(JSON.stringify(core.body)).toContain('"resource":"pods"');
  });

  it.each([
    ['/version', 'v1.35.4'],
    ['/healthz', 'ok'],
    ['/livez/ping', 'ok'],
    ['/readyz?verbose', '[+]etcd ok'],
    ['/', '/apis/apps/v1'],
    ['/.well-known/openid-configuration', 'jwks_uri'],
    ['/openapi/v2', '"swagger":"2.0"'],
  ])('answers %s', async (path, text) => {
    const answer = await ask(`GET ${path}`);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(text)]);
  });

  it('publishes documents under a hash, and shows the way from an old one', async () => {
    const { body } = await ask('GET /openapi/v3');
    const { 'apis/apps/v1': apps } = body['paths'] as Readonly<Record<string, JsonObject>>;
    const url = String(apps?.['serverRelativeURL']);
    expect((await ask(`GET ${url}`)).text).toContain('io.k8s.api.apps.v1.Deployment');
    const other = url.replace(/hash=.*/, `hash=${createHash('sha512').update('x').digest('hex')}`);
    const moved = await fetch(`${cluster.plainUrl}${other}`, {
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${JSON.parse(cluster.tokenKubeconfig).users[0].user.token}`,
      },
    });
    expect([moved.status, moved.headers.get('location')]).toEqual([301, `?${url.split('?')[1]}`]);
  });
});

describe('a new cluster', () => {
  it.each([
    '/api/v1/namespaces/kube-node-lease',
    '/api/v1/namespaces/default/services/kubernetes',
    '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:discovery',
    '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical',
    '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps',
  ])('has %s', async (path) => {
    expect((await ask(`GET ${path}`)).status).toBe(200);
  });
});

describe('an event', () => {
  it('is there by both of its names, in the words of each', async () => {
    const at = await namespace();
    const event = {
      metadata: { name: 'e', namespace: at },
      regarding: { kind: 'Pod', namespace: at, name: 'p' },
      ...{ note: 'went well', reason: 'Went', type: 'Normal', action: 'Going' },
      ...{
        eventTime: '2030-01-01T00:00:00.000000Z',
        reportingController: 'x.io/y',
        reportingInstance: 'y-0',
      },
    };
    const other = `/apis/events.k8s.io/v1/namespaces/${at}/events`;
    const made = await ask(`POST ${other}`, { body: event });
    expect(made.body).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'went well' });
    const core = await ask(`GET /api/v1/namespaces/${at}/events/e`);
    expect(core.body).toMatchObject({
      ...{ apiVersion: 'v1', message: 'went well', involvedObject: { name: 'p' } },
      reportingComponent: 'x.io/y',
    });
    const found = await ask(`GET ${other}?fieldSelector=regarding.name%3Dp`);
    expect(found.body['items']).toMatchObject([{ note: 'went well', regarding: { name: 'p' } }]);
  });
});

describe('what a client has already', () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

  // A cache takes each header of the answer for its own copy: a length of nought would empty that.
  it.each([
    ['discovery', '/apis', { accept }],
    ['documents', '/openapi/v3/api/v1', {}],
  ])(
    'of the %s is not sent again, nor anything said of its type or length',
    async (_, path, headers) => {
      const etag = (await ask(`GET ${path}`, { headers })).headers.get('etag') ?? '';
      const again = await ask(`GET ${path}`, { headers: { ...headers, 'if-none-match': etag } });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      expect(etag).not.toBe('');
      expect(again.headers.has('content-type')).toBe(false);
      expect(again.headers.has('content-length')).toBe(false);
    },
  );
});
