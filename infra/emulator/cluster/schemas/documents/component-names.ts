import type { GroupVersionKind } from '../../parts.ts';

/** `com.example.v1.Widget`. */
export function componentName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** `ExampleComV1`, as operation ids have it. */
export function operationPart({ group, version }: GroupVersionKind): string {
  return [...wordsOf(group), version].map(capital).join('');
}

/** `exampleCom_v1`. */
export function tagOf({ group, version }: GroupVersionKind): string {
  const [first = '', ...others] = wordsOf(group);
  return `${[first, ...others.map(capital)].join('')}_${version}`;
}

/** A hyphen parts as a dot does. */
function wordsOf(group: string): readonly string[] {
  return group.split(/[.-]/);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
