import { isJsonObject } from '#shared/domain/json.ts';
import {
  between,
  forbidden,
  invalid,
  notSupported,
  required,
  says,
  stated,
} from '../words/errors.ts';
import { dnsLabel } from '../words/names.ts';
import {
  type Check,
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';
import { nanoOf } from '../words/quantity.ts';
import { claimErrors } from './claim-checks.ts';
import { checkedFieldRef, checkedResourceRef, volumeFields } from './env-checks.ts';
import { checkedProjection } from './projection-checks.ts';

/** The names that mounts may use: of those volumes alone that are well. */
type Volumes = { readonly errors: Errors; readonly names: ReadonlySet<string> };

export function checkedVolumes(list: readonly Place[]): Volumes {
  const names = new Set<string>();
  const errors = list.flatMap((at) => {
    const name = child(at, 'name');
    const own = [
      ...checkedSource(at),
      ...stated(name, says(dnsLabel)),
      ...(names.has(text(name)) ? [duplicateName(name)] : none),
    ];
    if (own.length === 0) names.add(text(name));
    return own;
  });
  return { errors, names };
}

function duplicateName(at: Place) {
  return {
    field: at.path,
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${JSON.stringify(text(at))}`,
  } as const;
}

function checkedSource(at: Place): Errors {
  const stated = Object.keys(sources).filter((key) => isStated(child(at, key)));
  const [first, ...more] = stated;
  if (first === undefined)
    return hasUnknownSource(at) ? none : [required(at, 'must specify a volume type')];
  return [
    ...(sources[first]?.(child(at, first)) ?? none),
    ...more.map((key) => forbidden(child(at, key), 'may not specify more than 1 volume type')),
  ];
}

/** Of old cloud volumes no more is known than that they are there. */
function hasUnknownSource({ value }: Place): boolean {
  return isJsonObject(value) && Object.keys(value).some((key) => key !== 'name');
}

const modeWords = 'must be a number between 0 and 0777 (octal), both inclusive';

export function checkedMode(at: Place): Errors {
  if (!isStated(at)) return none;
  return number(at) < 0 || number(at) > 0o777 ? [invalid(at, modeWords)] : none;
}

export const checkedKeyToPath: Check = (at) => [
  ...stated(child(at, 'key')),
  ...stated(child(at, 'path')),
  ...checkedLocalPath(child(at, 'path')),
  ...checkedMode(child(at, 'mode')),
];

/** Relative, without a step back, and not one of the names that the kubelet uses itself. */
export function checkedLocalPath(at: Place): Errors {
  const path = text(at);
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return [
    ...checkedDescendingPath(at),
    ...(isReserved ? [invalid(at, "must not start with '..'")] : none),
  ];
}

export function checkedDescendingPath(at: Place): Errors {
  return [
    ...(text(at).startsWith('/') ? [invalid(at, 'must be a relative path')] : none),
    ...checkedSteps(at),
  ];
}

export function checkedSteps(at: Place): Errors {
  return text(at).split('/').includes('..') ? [invalid(at, "must not contain '..'")] : none;
}

const keyed =
  (nameKey: string): Check =>
  (at) => [
    ...stated(child(at, nameKey)),
    ...checkedMode(child(at, 'defaultMode')),
    ...items(at, 'items').flatMap(checkedKeyToPath),
  ];

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
] as const;

const hostPath: Check = (at) => {
  const [path, type] = [child(at, 'path'), child(at, 'type')];
  if (isEmpty(path)) return [required(path)];
  const isKnown = hostPathTypes.some((each) => each === text(type));
  return [...checkedSteps(path), ...(isKnown ? none : [notSupported(type, hostPathTypes)])];
};

export const downwardFile: Check = (at) => {
  const [field, resource] = [child(at, 'fieldRef'), child(at, 'resourceFieldRef')];
  const neither = !isStated(field) && !isStated(resource);
  return [
    ...stated(child(at, 'path')),
    ...checkedLocalPath(child(at, 'path')),
    ...(isStated(field) ? checkedFieldRef(field, volumeFields) : none),
    ...(isStated(field) && isStated(resource)
      ? [
          invalid(
            at,
            'fieldRef and resourceFieldRef can not be specified simultaneously',
            'resource',
          ),
        ]
      : none),
    ...(!isStated(field) && isStated(resource) ? checkedResourceRef(resource, true) : none),
    ...(neither ? [required(at, 'one of fieldRef and resourceFieldRef is required')] : none),
    ...checkedMode(child(at, 'mode')),
  ];
};

/** Errors of a file name the volume, not the file. */
const downwardApi: Check = (at) => [
  ...checkedMode(child(at, 'defaultMode')),
  ...items(at, 'items').flatMap(({ value }) => downwardFile({ path: at.path, value })),
];

const sources: Readonly<Record<string, Check>> = {
  emptyDir: (at) => {
    const limit = child(at, 'sizeLimit');
    const why = 'SizeLimit field must be a valid resource quantity';
    return nanoOf(limit.value) < 0n ? [forbidden(limit, why)] : none;
  },
  hostPath,
  secret: keyed('secretName'),
  nfs: (at) => [
    ...stated(child(at, 'server')),
    ...stated(child(at, 'path')),
    ...(text(child(at, 'path')).startsWith('/')
      ? none
      : [invalid(child(at, 'path'), 'must be an absolute path', text(child(at, 'path')))]),
  ],
  persistentVolumeClaim: (at) => stated(child(at, 'claimName')),
  configMap: keyed('name'),
  downwardAPI: downwardApi,
  projected: (at) => [...checkedMode(child(at, 'defaultMode')), ...checkedProjection(at)],
  csi: (at) => stated(child(at, 'driver')),
  ephemeral: (at) => {
    const template = child(at, 'volumeClaimTemplate');
    return isStated(template) ? claimErrors(child(template, 'spec')) : [required(template)];
  },
  image: (at) => stated(child(at, 'reference')),
};

/** Of ports, user and group ids. */
export const portNumber = between(1, 65_535);
export const someId = between(0, 2_147_483_647);
