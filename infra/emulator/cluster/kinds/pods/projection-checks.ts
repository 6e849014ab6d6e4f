import type { FieldError } from '../../parts.ts';
import { forbidden, inOwnForm, invalid, required, stated } from '../words/errors.ts';
import {
  child,
  type Errors,
  isStated,
  items,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';
import { checkedSelector } from '../words/selector.ts';
import { bundleName, checkedSignerName } from '../words/signer.ts';
import { checkedKeyToPath, checkedLocalPath, downwardFile } from './volume-checks.ts';

/** What is put together in one volume: each source is well, and no two want the same path. */
export function checkedProjection(volume: Place): Errors {
  const taken = new Set<string>();
  const clash = (path: string, shown: string): Errors => {
    if (path === '') return none;
    if (taken.has(path)) return [invalid(volume, 'conflicting duplicate paths', shown)];
    taken.add(path);
    return none;
  };
  return items(volume, 'sources').flatMap((source) => {
    const found = kinds.filter((kind) => isStated(child(source, kind)));
    const errors = found.flatMap((kind) => checks[kind](child(source, kind), { volume, clash }));
    return found.length > 1
      ? [...errors, forbidden(source, 'may not specify more than 1 volume type per source')]
      : errors;
  });
}

type Around = {
  readonly volume: Place;
  readonly clash: (path: string, shown: string) => Errors;
};

const kinds = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
] as const;

const checks: Readonly<
  Record<(typeof kinds)[number], (at: Place, around: Around) => readonly FieldError[]>
> = {
  secret: keyed,
  configMap: keyed,
  downwardAPI: (at, { clash }) =>
    items(at, 'items').flatMap(({ value }) => {
      const path = text(child({ path: '', value }, 'path'));
      return [...downwardFile({ path: at.path, value }), ...clash(path, path)];
    }),
  serviceAccountToken: token,
  clusterTrustBundle: (at, { clash }) => {
    const path = child(at, 'path');
    return [
      ...bundle(at),
      ...stated(path),
      ...checkedLocalPath(path),
      ...clash(text(path), text(path)),
    ];
  },
  podCertificate: (at) => checkedSignerName(child(at, 'signerName')),
};

function keyed(at: Place, { clash }: Around): Errors {
  const name = child(at, 'name');
  return [
    ...stated(name),
    ...items(at, 'items').flatMap((item) => [
      ...checkedKeyToPath(item),
      ...clash(text(child(item, 'path')), text(name)),
    ]),
  ];
}

/** The real server names the volume's own `path` here, where there is none. */
function token(at: Place, { volume }: Around): Errors {
  const seconds = child(at, 'expirationSeconds');
  const path = { path: `${volume.path}.path`, value: child(at, 'path').value };
  return [
    ...(number(seconds) < 600
      ? [invalid(seconds, 'may not specify a duration less than 10 minutes')]
      : none),
    ...(number(seconds) > 2 ** 32
      ? [invalid(seconds, 'may not specify a duration larger than 2^32 seconds')]
      : none),
    ...stated(path, checkedLocalPath),
  ];
}

function bundle(at: Place): Errors {
  const [name, signer] = [child(at, 'name'), child(at, 'signerName')];
  if (isStated(name) && isStated(signer)) {
    const shown = inOwnForm(at, ['name', 'signerName', 'labelSelector', 'optional', 'path']);
    return [invalid(at, 'only one of name and signerName may be used', shown)];
  }
  if (isStated(name)) return byName(at, name);
  if (isStated(signer)) {
    return [
      ...(text(signer) === '' ? [required(signer, 'must be a valid signer name')] : none),
      ...checkedSignerName(signer),
      ...checkedSelector(child(at, 'labelSelector')),
    ];
  }
  return [required(at, 'either name or signerName must be specified')];
}

function byName(at: Place, name: Place): Errors {
  const cut = text(name).lastIndexOf(':');
  const signer = cut === -1 ? '' : text(name).slice(0, cut).replaceAll(':', '/');
  const selector = child(at, 'labelSelector');
  return [
    ...(text(name) === '' ? [required(name, 'must be a valid object name')] : none),
    ...bundleName(signer)(text(name)).map((complaint) =>
      invalid(name, `not a valid clustertrustbundlename: ${complaint}`),
    ),
    ...(isStated(selector)
      ? [invalid(selector, 'labelSelector must be unset if name is specified')]
      : none),
  ];
}
