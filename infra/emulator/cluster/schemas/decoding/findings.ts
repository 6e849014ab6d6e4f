/** What one walk over a body finds out: it goes on after the first wrong type, as Go's decoder does, but only that one is told. */
export type Findings = { wrong: string | undefined; readonly unknown: string[] };

/** Where the walk is. Only what is wrong is named, so the names are put together then. */
export type Place = {
  readonly above: Place | undefined;
  /** The field of a struct, the key of a map, the index of a list. */
  readonly step: string | number;
  /** Go's name of the struct that the field is of; a key or an index has none. */
  readonly struct: string | undefined;
  readonly found: Findings;
};

export function start(found: Findings): Place {
  return { above: undefined, step: '', struct: undefined, found };
}

export function field(above: Place, struct: string, step: string): Place {
  return { above, step, struct, found: above.found };
}

/** Go does not tell which item of a list, or which value of a map. */
export function within(above: Place, step: string | number): Place {
  return { above, step, struct: undefined, found: above.found };
}

/** `spec.containers[0].image`. */
export function pathOf({ above, step }: Place): string {
  if (above === undefined) return '';
  const before = pathOf(above);
  if (typeof step === 'number') return `${before}[${step}]`;
  return before === '' ? step : `${before}.${step}`;
}

/** The innermost struct, and the fields on the way to the value: `Container.spec.containers.image`. */
function goPath(at: Place): string {
  const fields = fieldsOf(at);
  const struct = innermost(at);
  return struct === undefined ? '' : `${struct}.${fields.join('.')}`;
}

function fieldsOf({ above, struct, step }: Place): readonly string[] {
  if (above === undefined) return [];
  const before = fieldsOf(above);
  return struct === undefined ? before : [...before, inlined(struct, String(step))];
}

function innermost({ above, struct }: Place): string | undefined {
  return struct ?? (above === undefined ? undefined : innermost(above));
}

const references = new Set([
  'ConfigMapEnvSource',
  'ConfigMapKeySelector',
  'ConfigMapProjection',
  'ConfigMapVolumeSource',
  'SecretEnvSource',
  'SecretKeySelector',
  'SecretProjection',
]);

/** Go says the name of a struct that is embedded in another; in the published document its fields are the other's own. */
function inlined(struct: string, name: string): string {
  if (struct === 'Probe' && /^(exec|grpc|httpGet|tcpSocket)$/.test(name))
    return `ProbeHandler.${name}`;
  if (struct === 'Volume' && name !== 'name') return `VolumeSource.${name}`;
  if (struct === 'EphemeralContainer' && name !== 'targetContainerName')
    return `EphemeralContainerCommon.${name}`;
  return references.has(struct) && name === 'name' ? `LocalObjectReference.${name}` : name;
}

export function mismatch(at: Place, type: string, what: string): void {
  const path = goPath(at);
  const where = path === '' ? 'Go value' : `Go struct field ${path}`;
  at.found.wrong ??= `json: cannot unmarshal ${what} into ${where} of type ${type}`;
}
