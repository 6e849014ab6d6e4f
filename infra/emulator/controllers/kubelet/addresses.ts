/** Of 10.244.0.0/16, one after the other; who comes round finds those free whose pods are gone. */
export function openAddresses() {
  const byUid = new Map<string, string>();
  const taken = new Set<string>();
  let last = 0;
  const next = (): string => {
    last = (last + 1) % 65_536;
    const address = `10.244.${last >> 8}.${last & 255}`;
    const isUsable = (last & 255) !== 0 && (last & 255) !== 255 && !taken.has(address);
    return isUsable || taken.size > 64_000 ? address : next();
  };
  const take = (uid: string, address: string) => {
    byUid.set(uid, address);
    taken.add(address);
    return address;
  };
  return {
    /** The one that the pod has already, from an earlier kubelet. */
    of: (uid: string, known: string | undefined) => byUid.get(uid) ?? take(uid, known ?? next()),
    free(uid: string) {
      taken.delete(byUid.get(uid) ?? '');
      byUid.delete(uid);
    },
    reserve: take,
  };
}

/** Of the so-manieth node of this kubelet. */
export function nodeAddress(index: number): string {
  return `192.168.${10 + (index >> 8)}.${index & 255 || 254}`;
}
