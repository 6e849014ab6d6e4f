import { forbidden, invalid, notFound, notSupported, oneOf, stated } from '../words/errors.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  type Place,
  text,
} from '../words/place.ts';
import { checkedDescendingPath } from './volume-checks.ts';

/** Errors of a sub path name the list of mounts, as the real server does. */
export function checkedMounts(container: Place, volumes: ReadonlySet<string>): Errors {
  const list = child(container, 'volumeMounts');
  const paths = new Set<string>();
  return items(container, 'volumeMounts').flatMap((at) => {
    const [name, path] = [child(at, 'name'), child(at, 'mountPath')];
    const again = paths.has(text(path)) ? [invalid(path, 'must be unique', text(path))] : none;
    paths.add(text(path));
    return [
      ...stated(name),
      ...(volumes.has(text(name)) ? none : [notFound(name)]),
      ...alsoDevice(container, name),
      ...checkedDepth({ path: `${list.path}.recursiveReadOnly`, value: null }, at),
      ...stated(path),
      ...again,
      ...checkedSubPaths(list, at),
      ...checkedPropagation(
        { path: `${list.path}.mountPropagation`, value: child(at, 'mountPropagation').value },
        container,
      ),
    ];
  });
}

function alsoDevice(container: Place, name: Place): Errors {
  const isDevice = items(container, 'volumeDevices').some(
    (device) => text(child(device, 'name')) === text(name),
  );
  return isDevice ? [invalid(name, 'must not already exist in volumeDevices')] : none;
}

function checkedSubPaths(list: Place, at: Place): Errors {
  const [path, expression] = [child(at, 'subPath'), child(at, 'subPathExpr')];
  const isBoth = !isEmpty(path) && !isEmpty(expression);
  return [
    ...checkedDescendingPath({ path: `${list.path}.subPath`, value: path.value }),
    ...(isBoth ? [invalid(expression, 'subPathExpr and subPath are mutually exclusive')] : none),
    ...checkedDescendingPath({ path: `${list.path}.subPathExpr`, value: expression.value }),
  ];
}

export function checkedDevices(container: Place, volumes: ReadonlySet<string>): Errors {
  return items(container, 'volumeDevices').flatMap((at) => [
    ...stated(child(at, 'name')),
    ...stated(child(at, 'devicePath')),
    ...(volumes.has(text(child(at, 'name'))) ? none : [notFound(child(at, 'name'))]),
    ...alsoMount(container, child(at, 'name')),
  ]);
}

function alsoMount(container: Place, name: Place): Errors {
  const isMount = items(container, 'volumeMounts').some(
    (mount) => text(child(mount, 'name')) === text(name),
  );
  return isMount ? [invalid(name, 'must not already exist in volumeMounts')] : none;
}

/** A mount that is read-only in all its depth is read-only first. */
function checkedDepth(at: Place, mount: Place): Errors {
  const mode = child(mount, 'recursiveReadOnly');
  if (!isStated(mode) || text(mode) === 'Disabled') return none;
  const known = ['Disabled', 'Enabled', 'IfPossible'];
  if (!known.includes(text(mode))) return oneOf({ ...at, value: mode.value }, known);
  const propagation = child(mount, 'mountPropagation');
  const isSpread = isStated(propagation) && text(propagation) !== 'None';
  return [
    ...(child(mount, 'readOnly').value === true
      ? none
      : [forbidden(at, 'may only be specified when readOnly is true')]),
    ...(isSpread
      ? [forbidden(at, 'may only be specified when mountPropagation is None or not specified')]
      : none),
  ];
}

/** What a privileged container alone may do with a mount. */
function checkedPropagation(at: Place, container: Place): Errors {
  if (!isStated(at)) return none;
  const known = ['Bidirectional', 'HostToContainer', 'None'];
  const isPrivileged = child(container, 'securityContext', 'privileged').value === true;
  return [
    ...(known.includes(text(at)) ? none : [notSupported(at, known)]),
    ...(text(at) === 'Bidirectional' && !isPrivileged
      ? [
          forbidden(
            at,
            'Bidirectional mount propagation is available only to privileged containers',
          ),
        ]
      : none),
  ];
}
