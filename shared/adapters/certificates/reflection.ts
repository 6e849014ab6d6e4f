type Metadata = {
  getMetadata?: (key: unknown, target: object) => unknown;
  getOwnMetadata?: (key: unknown, target: object) => unknown;
  defineMetadata?: (key: unknown, value: unknown, target: object) => void;
};

/**
 * @peculiar/x509 registers its parts with tsyringe, which refuses to load without these three of `reflect-metadata`.
 * They are all that it calls; whoever brought the whole of it keeps it.
 */
function provideReflection(): void {
  const reflect = Reflect as typeof Reflect & Metadata;
  if (reflect.getMetadata !== undefined) return;

  const known = new WeakMap<object, Map<unknown, unknown>>();
  const own = (key: unknown, target: object) => known.get(target)?.get(key);
  reflect.getOwnMetadata = own;
  reflect.getMetadata = (key, target) => {
    const parent: object | null = Object.getPrototypeOf(target);
    return own(key, target) ?? (parent === null ? undefined : reflect.getMetadata?.(key, parent));
  };
  reflect.defineMetadata = (key, value, target) => {
    const ofTarget = known.get(target) ?? new Map<unknown, unknown>();
    known.set(target, ofTarget.set(key, value));
  };
}

provideReflection();
