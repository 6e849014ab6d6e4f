import type { JsonObject } from '#shared/domain/json.ts';
import { duplicate, inOwnForm, invalid, notSupported, oneOf, required } from '../words/errors.ts';
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
import { checkedDescendingPath, someId } from './volume-checks.ts';

export function checkedSecurity(at: Place): Errors {
  if (!isStated(at)) return none;
  return [
    ...['runAsUser', 'runAsGroup'].flatMap((key) => checkedId(child(at, key))),
    ...checkedProcMount(child(at, 'procMount')),
    ...checkedProfile(child(at, 'seccompProfile')),
    ...checkedEscalation(at),
    ...checkedAppArmor(child(at, 'appArmorProfile')),
  ];
}

export function checkedPodSecurity(at: Place, spec: Place): Errors {
  const shared = child(spec, 'shareProcessNamespace');
  const isClash = shared.value === true && child(spec, 'hostPID').value === true;
  return [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((key) => checkedId(child(at, key))),
    ...items(at, 'supplementalGroups').flatMap(someId),
    ...(isClash
      ? [
          invalid(
            { ...shared, path: `${at.path}.shareProcessNamespace` },
            'ShareProcessNamespace and HostPID cannot both be enabled',
          ),
        ]
      : none),
    ...Object.entries(policies).flatMap(([key, known]) => {
      const policy = child(at, key);
      return isStated(policy) ? oneOf(policy, known) : none;
    }),
    ...checkedSysctls(at),
    ...checkedProfile(child(at, 'seccompProfile')),
    ...checkedAppArmor(child(at, 'appArmorProfile')),
  ];
}

const policies: Readonly<Record<string, readonly string[]>> = {
  fsGroupChangePolicy: ['Always', 'OnRootMismatch'],
  supplementalGroupsPolicy: ['Merge', 'Strict'],
  seLinuxChangePolicy: ['Recursive'],
};

const sysctl = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

function checkedSysctls(at: Place): Errors {
  const names = items(at, 'sysctls').map((each) => child(each, 'name'));
  const why = `must have at most 253 characters and match regex ${sysctl}`;
  return names.flatMap((name, index) => {
    if (text(name) === '') return [required(name)];
    const isAgain = names.findIndex((each) => text(each) === text(name)) < index;
    if (!new RegExp(sysctl).test(text(name))) return [invalid(name, why)];
    return isAgain ? [duplicate(name)] : none;
  });
}

function checkedId(at: Place): Errors {
  return isStated(at) ? someId(at) : none;
}

function checkedProcMount(at: Place): Errors {
  if (!isStated(at)) return none;
  if (!['Default', 'Unmasked'].includes(text(at)))
    return [notSupported(at, ['Default', 'Unmasked'])];
  return text(at) === 'Unmasked'
    ? [invalid(at, '`hostUsers` must be false to use `Unmasked`')]
    : none;
}

const profiles = ['Localhost', 'RuntimeDefault', 'Unconfined'] as const;

function checkedProfile(at: Place): Errors {
  if (!isStated(at)) return none;
  const type = child(at, 'type');
  const isKnown = profiles.some((each) => each === text(type));
  return [...(isKnown ? none : [unknownProfile(type)]), ...checkedLocalhost(at, 'seccomp')];
}

function unknownProfile(type: Place) {
  return isEmpty(type)
    ? required(type, 'type is required when seccompProfile is set')
    : notSupported(type, profiles);
}

function checkedLocalhost(at: Place, what: string): Errors {
  const file = child(at, 'localhostProfile');
  if (text(child(at, 'type')) !== 'Localhost') {
    return isStated(file)
      ? [
          invalid(
            file,
            `can only be set when ${what} type is Localhost`,
            inOwnForm(at, profileFields),
          ),
        ]
      : none;
  }
  return isStated(file)
    ? checkedDescendingPath(file)
    : [required(file, `must be set when ${what} type is Localhost`)];
}

function checkedAppArmor(at: Place): Errors {
  if (!isStated(at)) return none;
  const type = child(at, 'type');
  if (isEmpty(type)) return [required(type, 'type is required when appArmorProfile is set')];
  return profiles.some((each) => each === text(type)) ? none : [notSupported(type, profiles)];
}

const fields = [
  'capabilities',
  'privileged',
  'seLinuxOptions',
  'windowsOptions',
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'readOnlyRootFilesystem',
  'allowPrivilegeEscalation',
  'procMount',
  'seccompProfile',
  'appArmorProfile',
] as const;

const profileFields = ['type', 'localhostProfile'] as const;

function shownPart(at: Place, keys: readonly string[]): JsonObject | null {
  return isStated(at) ? inOwnForm(at, keys) : null;
}

function shownContext(at: Place): JsonObject {
  const { SeLinuxOptions, ...others } = inOwnForm(at, fields);
  const { Capabilities: _, Privileged = null, ...more } = others;
  return {
    Capabilities: shownPart(child(at, 'capabilities'), ['add', 'drop']),
    Privileged,
    SELinuxOptions: SeLinuxOptions ?? null,
    ...more,
    SeccompProfile: shownPart(child(at, 'seccompProfile'), profileFields),
    AppArmorProfile: shownPart(child(at, 'appArmorProfile'), profileFields),
  };
}

function checkedEscalation(at: Place): Errors {
  if (child(at, 'allowPrivilegeEscalation').value !== false) return none;
  const isAdmin = items(child(at, 'capabilities'), 'add').some(
    (each) => text(each) === 'CAP_SYS_ADMIN',
  );
  return [
    ...(child(at, 'privileged').value === true
      ? [
          invalid(
            at,
            'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
            shownContext(at),
          ),
        ]
      : none),
    ...(isAdmin
      ? [
          invalid(
            at,
            'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
            shownContext(at),
          ),
        ]
      : none),
  ];
}
