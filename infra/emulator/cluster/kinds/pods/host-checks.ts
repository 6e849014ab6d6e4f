import { forbidden, oneOf, says, tooLong } from '../words/errors.ts';
import { dnsSubdomain } from '../words/names.ts';
import { child, type Errors, isStated, none, type Place, text } from '../words/place.ts';

/** What a pod takes of its host: the system, the users, the name. */
export function checkedHost(spec: Place): Errors {
  const system = child(spec, 'os', 'name');
  const isOdd = isStated(child(spec, 'os')) && !['linux', 'windows'].includes(text(system));
  return [
    ...(isOdd ? oneOf({ ...system, path: `${spec.path}.os` }, ['linux', 'windows']) : none),
    ...checkedUsers(spec),
    ...checkedName(spec),
  ];
}

/** Errors name the fields with a capital, as the real server does. */
function checkedUsers(spec: Place): Errors {
  if (child(spec, 'hostUsers').value !== false) return none;
  return ['HostPID', 'HostIPC']
    .filter((name) => child(spec, `h${name.slice(1)}`).value === true)
    .map((name) =>
      forbidden({ path: `${spec.path}.${name}`, value: true }, 'when `hostUsers` is false'),
    );
}

function checkedName(spec: Place): Errors {
  const name = child(spec, 'hostnameOverride');
  if (!isStated(name)) return none;
  const isFull = child(spec, 'setHostnameAsFQDN').value === true;
  const isShared = child(spec, 'hostNetwork').value === true;
  return [
    ...(isFull ? [forbidden(name, 'may not be specified when setHostnameAsFQDN is true')] : none),
    ...(isShared ? [forbidden(name, 'may not be specified when hostNetwork is true')] : none),
    ...(text(name).length > 64 ? [tooLong(name, 64)] : none),
    ...says(dnsSubdomain)(name),
  ];
}
