/** The same list, which counts how often one of its items is read. */
export function readsOf(items: readonly string[]) {
  let reads = 0;
  const list = new Proxy(items, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key);
    },
  });
  return { list, reads: () => reads };
}
