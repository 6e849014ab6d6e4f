/** Warden's own names: what tools and people know it by stays. */
export const modeLabel = 'namespaces.warden.kyma-project.io/validate';
export const statusLabel = 'pods.warden.kyma-project.io/validate';
export const rejectAnnotation = 'pods.warden.kyma-project.io/validate-reject';
export const invalidAnnotation = 'pods.warden.kyma-project.io/invalid-images';

/** What a namespace in user mode says. */
export const userAnnotations = {
  url: 'namespaces.warden.kyma-project.io/notary-url',
  allowed: 'namespaces.warden.kyma-project.io/allowed-registries',
  timeout: 'namespaces.warden.kyma-project.io/notary-timeout',
  strict: 'namespaces.warden.kyma-project.io/strict-mode',
} as const;

export const reject = 'reject';

export type Status = 'pending' | 'success' | 'failed';

/** Of no setting: the label alone says it. */
const inMode = (...values: readonly string[]) => ({
  setting: '(none)',
  fallback: { matchExpressions: [{ key: modeLabel, operator: 'In' as const, values }] },
});

export const inAnyMode = inMode('enabled', 'system', 'user');
/** `enabled` is the deprecated name. */
export const inSystemMode = inMode('enabled', 'system');
export const inUserMode = inMode('user');
