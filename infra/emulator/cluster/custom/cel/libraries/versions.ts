import type { Environment } from '@marcbachmann/cel-js';

/** A class, since the library tells types by their constructor. */
class CelVersion {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
}

export function registerVersions(to: Environment): void {
  const type = 'kubernetes.Semver';
  to.registerType(type, { ctor: CelVersion, fields: {} });
  to.registerFunction('isSemver(string): bool', (text: string) => versionIn(text) !== undefined);
  to.registerFunction(
    'isSemver(string, bool): bool',
    (text: string, isLoose: boolean) => versionIn(text, isLoose) !== undefined,
  );
  to.registerFunction(`semver(string): ${type}`, (text: string) => versionOf(text));
  to.registerFunction(`semver(string, bool): ${type}`, versionOf);
  for (const [at, name] of ['major', 'minor', 'patch'].entries()) {
    to.registerFunction(`${type}.${name}(): int`, ({ numbers }: CelVersion) => numbers[at]);
  }
  for (const [name, holds] of [
    ['isLessThan', (order: number) => order < 0],
    ['isGreaterThan', (order: number) => order > 0],
  ] as const) {
    to.registerFunction(`${type}.${name}(${type}): bool`, (one: CelVersion, other: CelVersion) =>
      holds(compared(one, other)),
    );
  }
  to.registerFunction(`${type}.compareTo(${type}): int`, (one: CelVersion, other: CelVersion) =>
    BigInt(compared(one, other)),
  );
  to.registerOperator(
    `${type} == ${type}`,
    (one: CelVersion, other: CelVersion) => compared(one, other) === 0,
  );
}

function versionOf(text: string, isLoose = false): CelVersion {
  const version = versionIn(text, isLoose);
  if (version === undefined) throw new Error('No Major.Minor.Patch elements found');
  return version;
}

const part = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const pattern = new RegExp(
  `^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-(${part}(?:\\.${part})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

function versionIn(text: string, isLoose = false): CelVersion | undefined {
  const [, major, minor, patch, prerelease] = pattern.exec(isLoose ? tidied(text) : text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return new CelVersion([major, minor, patch].map(BigInt), prerelease?.split('.') ?? []);
}

/** `v1.02` is 1.2.0. */
function tidied(text: string): string {
  const [, numbers = '', rest = ''] = /^v?([\d.]*)(.*)$/s.exec(text) ?? [];
  const parts = numbers.split('.').map((each) => each.replace(/^0+(?=\d)/, ''));
  const whole = [...parts, '0', '0'].slice(0, Math.max(3, parts.length));
  return `${whole.join('.')}${rest}`;
}

function compared(one: CelVersion, other: CelVersion): number {
  for (const [at, number] of one.numbers.entries()) {
    const order = sign(number, other.numbers[at] ?? 0n);
    if (order !== 0) return order;
  }
  return comparedPrereleases(one.prerelease, other.prerelease);
}

/** What comes before a release is less than it. */
function comparedPrereleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return sign(other.length, one.length);
  for (const [at, text] of one.entries()) {
    const against = other[at];
    if (against === undefined) return 1;
    const order = comparedParts(text, against);
    if (order !== 0) return order;
  }
  return sign(one.length, other.length);
}

function comparedParts(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [one, other].map((each) => /^\d+$/.test(each));
  if (isNumber && isOtherNumber) return sign(BigInt(one), BigInt(other));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return sign(one, other);
}

function sign<T extends number | bigint | string>(one: T, other: T): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
