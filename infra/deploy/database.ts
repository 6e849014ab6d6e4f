import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { manifest, podsOf } from './manifest.ts';
import { tcp } from './network.ts';
import type { Plan } from './plan.ts';

const secret = { name: 'gatehouse-database', key: 'url' };

export const databaseUrl: JsonObject = {
  name: 'DATABASE_URL',
  valueFrom: { secretKeyRef: secret },
};

/** An admission server without a database reads the cluster itself: it must not wait for somebody's Secret. */
export const databaseUrlIfThere: JsonObject = {
  name: 'DATABASE_URL',
  valueFrom: { secretKeyRef: { ...secret, optional: true } },
};

export function toDatabase(component: string, { settings }: Plan): KubeObject {
  const { installation, database } = settings;
  const { namespace } = installation;
  return manifest(
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      name: `gatehouse-${component}-to-database`,
      namespace,
      component,
    },
    {
      spec: {
        podSelector: { matchLabels: podsOf(component) },
        policyTypes: ['Egress'],
        egress: [{ ports: database.ports.map(tcp) }],
      },
    },
  );
}
