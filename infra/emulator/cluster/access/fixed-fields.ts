/** Of `metadata.name=x,spec.nodeName==y,status.phase!=z` the first two. */
export function fixedBy(fieldSelector: string): Readonly<Record<string, string>> {
  const terms = fieldSelector.split(',').map((term) => /^([^=!]+)==?([^=]+)$/.exec(term));
  return Object.fromEntries(
    terms.flatMap((found) => (found === null ? [] : [[found[1] ?? '', found[2] ?? '']])),
  );
}
