/**
 * What a kube-apiserver sends for a pod that a ReplicaSet makes: managed fields, owner, the projected
 * token volume and all defaults are already there.
 */
export function podReview(): string {
  const text = JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request,
  });
  const size = Buffer.byteLength(text);
  if (size < 4_500 || size > 4_700)
    throw new Error(`the review has ${size} bytes, not 4.6 KB ± 0.1`);
  return text;
}

/** Stands in the body, and is overwritten by each request's own. */
export const placeholderUid = '7c9e6679-7425-40de-944b-000000000000';

const labels = {
  'app.kubernetes.io/component': 'api',
  'app.kubernetes.io/instance': 'orders-production',
  'app.kubernetes.io/name': 'orders',
  'app.kubernetes.io/version': '4.18.2',
  'pod-template-hash': '6d4cf56db6',
};

const owner = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'orders-api-6d4cf56db6',
  uid: '3f1c2b9a-5a0e-4a52-9d38-7b1f0a6c2e11',
  controller: true,
  blockOwnerDeletion: true,
};

const managedFields = [
  {
    manager: 'kube-controller-manager',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-09-03T09:14:27Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:annotations': { '.': {}, 'f:prometheus.io/port': {}, 'f:prometheus.io/scrape': {} },
        'f:generateName': {},
        'f:labels': { '.': {}, 'f:app.kubernetes.io/name': {}, 'f:pod-template-hash': {} },
        'f:ownerReferences': { '.': {}, [`k:{"uid":"${owner.uid}"}`]: {} },
      },
      'f:spec': {
        'f:containers': {
          'k:{"name":"api"}': {
            '.': {},
            'f:env': {
              '.': {},
              'k:{"name":"DATABASE_HOST"}': { '.': {}, 'f:name': {}, 'f:value': {} },
            },
            'f:image': {},
            'f:livenessProbe': { '.': {}, 'f:httpGet': { '.': {}, 'f:path': {}, 'f:port': {} } },
            'f:resources': { '.': {}, 'f:limits': {}, 'f:requests': {} },
          },
        },
        'f:dnsPolicy': {},
        'f:restartPolicy': {},
        'f:schedulerName': {},
        'f:terminationGracePeriodSeconds': {},
      },
    },
  },
];

const mounts = [
  { name: 'config', readOnly: true, mountPath: '/etc/orders' },
  {
    name: 'kube-api-access-x7k2p',
    readOnly: true,
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  },
];

function probe(path: string, periodSeconds: number) {
  return {
    httpGet: { path, port: 8080, scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds,
    successThreshold: 1,
    failureThreshold: 3,
  };
}

function toleration(condition: string) {
  return {
    key: `node.kubernetes.io/${condition}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  };
}

const container = {
  name: 'api',
  image: 'registry.example.com/shop/orders:4.18.2',
  args: ['--listen=:8080', '--log-format=json'],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: [
    { name: 'DATABASE_HOST', value: 'orders-db.shop.svc.cluster.local' },
    {
      name: 'DATABASE_PASSWORD',
      valueFrom: { secretKeyRef: { name: 'orders-db-credentials', key: 'password' } },
    },
    {
      name: 'POD_NAME',
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
    },
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://otel-collector.observability:4317' },
  ],
  resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '250m', memory: '256Mi' } },
  volumeMounts: mounts,
  livenessProbe: probe('/healthz', 10),
  readinessProbe: probe('/readyz', 5),
  startupProbe: probe('/healthz', 2),
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  securityContext: {
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
  },
};

const volumes = [
  { name: 'config', configMap: { name: 'orders-config', defaultMode: 420 } },
  {
    name: 'kube-api-access-x7k2p',
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        {
          configMap: {
            name: 'kube-root-ca.crt',
            items: [{ key: 'ca.crt', path: 'ca.crt' }],
          },
        },
        {
          downwardAPI: {
            items: [
              {
                path: 'namespace',
                fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
              },
            ],
          },
        },
      ],
      defaultMode: 420,
    },
  },
];

const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    generateName: 'orders-api-6d4cf56db6-',
    namespace: 'shop',
    creationTimestamp: null,
    labels,
    annotations: { 'prometheus.io/port': '8080', 'prometheus.io/scrape': 'true' },
    ownerReferences: [owner],
    managedFields,
  },
  spec: {
    volumes,
    containers: [container],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'orders',
    serviceAccount: 'orders',
    securityContext: {
      runAsUser: 10001,
      fsGroup: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    schedulerName: 'default-scheduler',
    tolerations: [toleration('not-ready'), toleration('unreachable')],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  },
  status: {},
};

const podKind = { group: '', version: 'v1', kind: 'Pod' };
const podResource = { group: '', version: 'v1', resource: 'pods' };

const request = {
  uid: placeholderUid,
  kind: podKind,
  resource: podResource,
  requestKind: podKind,
  requestResource: podResource,
  namespace: 'shop',
  operation: 'CREATE',
  userInfo: {
    username: 'system:serviceaccount:kube-system:replicaset-controller',
    uid: 'b5f7c1d0-1d5e-4c8e-8a77-0f1c5c1f2d3e',
    groups: [
      'system:serviceaccounts',
      'system:serviceaccounts:kube-system',
      'system:authenticated',
    ],
  },
  object: pod,
  oldObject: null,
  dryRun: false,
  options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
};
