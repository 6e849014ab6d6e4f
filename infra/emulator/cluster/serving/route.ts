/** What a path asks for. */
export type Route =
  | { readonly kind: 'discovery'; readonly group?: string; readonly version?: string }
  | {
      readonly kind: 'resource';
      readonly group: string;
      readonly version: string;
      readonly namespace: string | undefined;
      readonly resource: string;
      readonly name: string | undefined;
      readonly subresource: string | undefined;
    }
  | { readonly kind: 'plain'; readonly path: string };

const oldWatch = /^\/(api|apis\/[^/]+)\/[^/]+\/watch\//;

/** `/api/v1/watch/pods` is what `/api/v1/pods?watch=1` is, as it was once asked for. */
export function withoutOldWatch(path: string): string | undefined {
  return oldWatch.test(path) ? path.replace('/watch/', '/') : undefined;
}

export function routeOf(path: string): Route {
  // A slash at the end says nothing; one that is written in numbers is one.
  const [root, ...steps] = decodeURIComponent(path)
    .replace(/(?<=.)\/$/, '')
    .split('/')
    .slice(1);
  if (root === 'api') return below('', steps);
  if (root === 'apis') {
    const [group, ...rest] = steps;
    return group === undefined || group === '' ? { kind: 'discovery' } : below(group, rest);
  }
  return { kind: 'plain', path };
}

function below(group: string, [version, ...steps]: readonly string[]): Route {
  if (version === undefined) return { kind: 'discovery', group };
  if (steps.length === 0) return { kind: 'discovery', group, version };
  const isInside = steps[0] === 'namespaces' && steps.length > 2 && !isOfNamespace(steps);
  const [resource = '', name, subresource] = isInside ? steps.slice(2) : steps;
  const namespace = isInside ? steps[1] : undefined;
  return { kind: 'resource', group, version, namespace, resource, name, subresource };
}

function isOfNamespace([, , what, more]: readonly string[]): boolean {
  return more === undefined && (what === 'status' || what === 'finalize');
}
