/** What the kubelet is told to do wrong. `image` is the reference as the manifest has it; `*` stands for anything. */
export type Fault =
  | { readonly kind: 'pull'; readonly image: string; readonly why?: string }
  | { readonly kind: 'exit'; readonly image: string; readonly exitCode: number }
  | { readonly kind: 'unready'; readonly image: string };

export type Faults = {
  fail(fault: Fault): void;
  /** Those that were told for this pattern are over; or all of them. */
  heal(image?: string): void;
  find<K extends Fault['kind']>(kind: K, image: string): Extract<Fault, { kind: K }> | undefined;
  onChange(listener: () => void): void;
};

export function openFaults(): Faults {
  let faults: readonly Fault[] = [];
  const listeners: (() => void)[] = [];
  const set = (next: readonly Fault[]) => {
    faults = next;
    for (const listener of listeners) listener();
  };
  return {
    fail: (fault) => set([...faults, fault]),
    heal: (image) => set(faults.filter((fault) => image !== undefined && fault.image !== image)),
    find: <K extends Fault['kind']>(kind: K, image: string) =>
      faults.find(
        (fault): fault is Extract<Fault, { kind: K }> =>
          fault.kind === kind && isLike(image, fault.image),
      ),
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

export function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
