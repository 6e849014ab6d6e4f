import type { JsonObject } from '#shared/domain/json.ts';
import { itemsOf, metadataOf, numberOf, partOf, specOf, textOf } from '../words/edit.ts';

/** Labels of nodes that have a newer name. */
const oldLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';

/** `prefix`: where the pod stands in what is written: nothing, or `spec.template.`. */
export function podWarnings(pod: JsonObject, prefix: string): readonly string[] {
  const spec = specOf(pod);
  return [
    ...Object.keys(partOf(spec, 'nodeSelector')).flatMap((key) =>
      oldLabels[key] === undefined ? [] : [`${prefix}spec.nodeSelector[${key}]: ${oldLabels[key]}`],
    ),
    ...(seccomp in partOf(metadataOf(pod), 'annotations')
      ? [
          `${prefix}metadata.annotations[${seccomp}]: non-functional in v1.27+; use the "seccompProfile" field instead`,
        ]
      : []),
    ...pullSecrets(spec, prefix),
    ...['initContainers', 'containers'].flatMap((key) => hiddenVariables(spec, key, prefix)),
    ...['initContainers', 'containers'].flatMap((key) => samePorts(spec, key, prefix)),
    ...((numberOf(spec, 'terminationGracePeriodSeconds') ?? 0) < 0
      ? [
          `${prefix}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
  ];
}

function pullSecrets(spec: JsonObject, prefix: string): readonly string[] {
  const names = itemsOf(spec, 'imagePullSecrets').map((each) => textOf(each, 'name'));
  return names.flatMap((name, at) => {
    const path = `${prefix}spec.imagePullSecrets[${at}].name`;
    if (name === '') return [`${path}: invalid empty name ""`];
    return names.indexOf(name) < at ? [`${path}: duplicate name "${name}"`] : [];
  });
}

/** A later entry of the same name, as long as it does not use the earlier one. */
function hiddenVariables(spec: JsonObject, key: string, prefix: string): readonly string[] {
  return itemsOf(spec, key).flatMap((container, at) => {
    const env = itemsOf(container, 'env');
    return env.flatMap((variable, index) => {
      const name = textOf(variable, 'name');
      const isAgain = env.slice(0, index).some((each) => textOf(each, 'name') === name);
      if (!isAgain || textOf(variable, 'value').includes(`$(${name})`)) return [];
      return [
        `${prefix}spec.${key}[${at}].env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`,
      ];
    });
  });
}

function samePorts(spec: JsonObject, key: string, prefix: string): readonly string[] {
  return itemsOf(spec, key).flatMap((container, at) => {
    const path = `${prefix}spec.${key}[${at}].ports`;
    const ports = itemsOf(container, 'ports').map(portKey);
    return ports.flatMap((port, index) => {
      const first = ports.indexOf(port);
      if (first === index) return [];
      return [`${path}[${index}]: duplicate port definition with ${path}[${first}]`];
    });
  });
}

function portKey({ hostIP = '', hostPort = 0, containerPort, protocol = '' }: JsonObject): string {
  return `${hostIP}/${hostPort}/${containerPort}/${protocol}`;
}
