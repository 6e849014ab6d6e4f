import type { Container, Pod, ProjectedSource, Volume } from '../shapes/pod.ts';

/** Whether what a pod refers to is there. */
export type Present = {
  configMap(name: string): boolean;
  secret(name: string): boolean;
  trustBundle(source: NonNullable<ProjectedSource['clusterTrustBundle']>): boolean;
};

export type Missing = { readonly reason: string; readonly note: string };

/** Why the pod's volumes cannot be set up; `undefined` where nothing is in the way. */
export function missingVolume({ spec }: Pod, present: Present): Missing | undefined {
  for (const volume of spec.volumes ?? []) {
    const why = missingIn(volume, present);
    if (why === undefined) continue;
    return {
      reason: 'FailedMount',
      note: `MountVolume.SetUp failed for volume "${volume.name}" : ${why}`,
    };
  }
  return undefined;
}

/** Nothing is in the way: the images are asked for all the same, by what is there or as nobody. */
export function missingLogin({ spec }: Pod, present: Present): Missing | undefined {
  const gone = spec.imagePullSecrets?.find(({ name }) => !present.secret(name));
  if (gone === undefined) return undefined;
  return {
    reason: 'FailedToRetrieveImagePullSecret',
    note: `Unable to retrieve some image pull secrets (${gone.name}); attempting to pull the image may not succeed.`,
  };
}

function missingIn({ configMap, secret, projected }: Volume, present: Present) {
  const { secretName: name, ...rest } = secret ?? {};
  const own = [
    { configMap, ...(secret !== undefined && { secret: { ...rest, ...(name && { name }) } }) },
  ];
  return firstOf([...own, ...(projected?.sources ?? [])], (source) =>
    missingSource(source, present),
  );
}

type Loose = { readonly [K in keyof ProjectedSource]: ProjectedSource[K] | undefined };

function missingSource(source: Loose, present: Present): string | undefined {
  const { configMap, secret, clusterTrustBundle: bundle } = source;
  if (configMap?.name && configMap.optional !== true && !present.configMap(configMap.name)) {
    return `configmap "${configMap.name}" not found`;
  }
  if (secret?.name && secret.optional !== true && !present.secret(secret.name)) {
    return `secret "${secret.name}" not found`;
  }
  if (bundle === undefined || bundle.optional === true || present.trustBundle(bundle)) {
    return undefined;
  }
  return bundle.name === undefined
    ? `no ClusterTrustBundle of signer "${bundle.signerName}" matches`
    : `clustertrustbundle "${bundle.name}" not found`;
}

/** Why a container cannot be configured, with the volumes all there. */
export function missingConfig(
  { env = [], envFrom = [] }: Container,
  present: Present,
): string | undefined {
  const sources = [
    ...env.map(({ valueFrom }) => ({
      configMap: valueFrom?.configMapKeyRef,
      secret: valueFrom?.secretKeyRef,
    })),
    ...envFrom.map(({ configMapRef, secretRef }) => ({
      configMap: configMapRef,
      secret: secretRef,
    })),
  ];
  return firstOf(sources, (source) => missingSource(source, present));
}

function firstOf<T>(all: readonly T[], why: (each: T) => string | undefined): string | undefined {
  for (const each of all) {
    const found = why(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
