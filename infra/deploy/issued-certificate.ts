import { manager } from '#shared/domain/installation.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { manifest } from './manifest.ts';
import type { Plan } from './plan.ts';
import { replacedServices } from './webhooks.ts';

/** Issuer and Certificate of whoever issues in this cluster; none where we or some other hand does it. */
export function issuedCertificate(plan: Plan): readonly KubeObject[] {
  switch (plan.certificates) {
    case 'self':
    case 'files':
      return [];
    case 'gardener':
      return gardener(plan);
    case 'cert-manager':
      return certManager(plan);
  }
}

function gardener(plan: Plan): readonly KubeObject[] {
  const { namespace } = plan.settings.installation;
  const identity = { apiVersion: 'cert.gardener.cloud/v1alpha1', name: manager, namespace };
  return [
    manifest({ ...identity, kind: 'Issuer' }, { spec: { selfSigned: {} } }),
    manifest(
      { ...identity, kind: 'Certificate' },
      {
        spec: {
          isCA: true,
          commonName: commonName(plan),
          dnsNames: dnsNames(plan),
          issuerRef: { name: manager, namespace },
          secretRef: { name: plan.settings.certificates.secretName, namespace },
        },
      },
    ),
  ];
}

function certManager(plan: Plan): readonly KubeObject[] {
  const { namespace } = plan.settings.installation;
  const identity = { apiVersion: 'cert-manager.io/v1', name: manager, namespace };
  return [
    manifest({ ...identity, kind: 'Issuer' }, { spec: { selfSigned: {} } }),
    manifest(
      { ...identity, kind: 'Certificate' },
      {
        spec: {
          commonName: commonName(plan),
          dnsNames: dnsNames(plan),
          issuerRef: { kind: 'Issuer', name: manager },
          privateKey: { rotationPolicy: 'Always' },
          secretName: plan.settings.certificates.secretName,
        },
      },
    ),
  ];
}

/** As upstream's; X.509 allows it 64 characters, and nobody verifies it. */
function commonName({ settings }: Plan): string {
  const { namespace, service } = settings.installation;
  return `${service}.${namespace}`.slice(0, 64);
}

/** By each Service that API servers may call us by. */
function dnsNames(plan: Plan): readonly string[] {
  const { service } = plan.settings.installation;
  return [...new Set([...namesOf(service, plan), ...extraNames(plan)])];
}

/** Beyond those of our own Service. */
export function extraNames(plan: Plan): string[] {
  const replaced = replacedServices(plan).flatMap((service) => namesOf(service, plan));
  return [...new Set([...replaced, ...plan.settings.certificates.dnsNames])];
}

/** API servers ask for the shorter one; the longer one is custom. */
function namesOf(service: string, { settings }: Plan): readonly string[] {
  const { namespace } = settings.installation;
  return [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
}
