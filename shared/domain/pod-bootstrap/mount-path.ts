/** As the kubelet takes a path that does not say where it begins; otherwise as it is stated. */
export function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

/** Absolute, and of names alone, as it becomes one: the API server keeps whatever is stated. Nothing is the root. */
export function plain(path: string): string {
  if (isPlain.test(path)) return path;
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.map((name) => `/${name}`).join('');
}

/** As nearly all are: no name of them begins with a dot. */
const isPlain = /^(?:\/[^/.][^/]*)+$/;
