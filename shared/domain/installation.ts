/** Names that stand both in rendered manifests and in running code. */
export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  /** On the Lease that each replica keeps, with its role. */
  replica: 'gatehouse.io/replica',
} as const;

export const annotations = {
  /** On a replica's Lease: the serial of the leaf that it serves. */
  certificateSerial: 'gatehouse.io/certificate-serial',
  /** On a replica's Lease: what callers must trust for what it serves, and for what it would serve next. */
  certificateAuthorities: 'gatehouse.io/certificate-authorities',
  /** On the certificates' Secret: the phase of its rotation. */
  rotation: 'gatehouse.io/rotation',
} as const;

export const manager = 'gatehouse';

/** Holds the CA and the leaf that we issue ourselves. Roles name it, so it is no setting. */
export const certificatesSecret = 'gatehouse-certificates';

/** Several renewals may fail in a row before a rotation goes on without a replica. */
export const replicaLease = { aliveForSeconds: 60, renewEverySeconds: 5 } as const;

/** Kept in step with their caBundle, and only where they are labelled as managed by us. */
export const webhookConfigurations = {
  mutating: [
    'gatehouse',
    'kim-snatch-mutating-webhook-configuration',
    'rt-bootstrapper-mutating-webhook-configuration',
    'defaulting.webhook.warden.kyma-project.io',
  ],
  validating: ['gatehouse', 'validation.webhook.warden.kyma-project.io'],
} as const;

/** Where functions answer. */
export const paths = {
  fusedPods: '/mutate/pods',
  alone: (phase: 'mutate' | 'validate', name: string): string => `/${phase}/${name}`,
} as const;

export const webhookNames = {
  fusedPods: 'pods.mutate.gatehouse.io',
  alone: (phase: 'mutate' | 'validate', name: string): string => `${name}.${phase}.gatehouse.io`,
} as const;
