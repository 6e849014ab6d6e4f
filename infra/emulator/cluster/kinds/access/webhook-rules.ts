import { invalid, oneOf, required } from '../words/errors.ts';
import { child, type Errors, isEmpty, items, none, type Place, text } from '../words/place.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'] as const;

/** What a webhook is asked about. */
export function checkedRule(at: Place): Errors {
  return [
    ...filled(at, 'operations', 'operations'),
    ...items(at, 'operations').flatMap((operation) => oneOf(operation, operations)),
    ...filled(at, 'apiGroups', 'API groups'),
    ...filled(at, 'apiVersions', 'API versions'),
    ...items(at, 'apiVersions')
      .filter(isEmpty)
      .map((version) => required(version)),
    ...checkedResources(at),
    ...oneOf(child(at, 'scope'), ['*', 'Cluster', 'Namespaced']),
  ];
}

/** Everything is said by `*`, so it stands alone. */
function filled(rule: Place, key: string, called: string): Errors {
  const [list, all] = [child(rule, key), items(rule, key)];
  if (all.length === 0) return [required(list)];
  const isMixed = all.length > 1 && all.some((at) => text(at) === '*');
  return isMixed ? [invalid(list, `if '*' is present, must not specify other ${called}`)] : none;
}

function checkedResources(rule: Place): Errors {
  const [list, all] = [child(rule, 'resources'), items(rule, 'resources')];
  if (all.length === 0) return [required(list)];
  const names = all.map(text);
  const isPlain = names.filter((name) => name !== '' && !name.includes('/')).at(-1);
  const both = "if '*/*' is present, must not specify other resources";
  const single = "if '*' is present, must not specify other resources without subresources";
  return [
    ...all.filter(isEmpty).map((at) => required(at)),
    ...covered(all),
    ...(names.length > 1 && names.includes('*/*') ? [invalid(list, both)] : none),
    ...(names.includes('*') && isPlain !== undefined && isPlain !== '*'
      ? [invalid(list, single)]
      : none),
  ];
}

/** What an earlier `pods/*` or `* /status` says already. */
function covered(all: readonly Place[]): Errors {
  const [resources, subresources] = [new Set<string>(), new Set<string>()];
  return all.flatMap((at) => {
    const [resource = '', ...rest] = text(at).split('/');
    if (rest.length === 0) return none;
    const sub = rest.join('/');
    const errors = [
      ...(resources.has(resource)
        ? [invalid(at, `if '${resource}/*' is present, must not specify ${text(at)}`)]
        : none),
      ...(subresources.has(sub)
        ? [invalid(at, `if '*/${sub}' is present, must not specify ${text(at)}`)]
        : none),
    ];
    if (sub === '*') resources.add(resource);
    if (resource === '*') subresources.add(sub);
    return errors;
  });
}
