/** Of `0,2-4`: how many they are, or in the real server's words what is wrong with them. */
export function countedIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let [last, total] = [-1, 0];
  for (const fragment of text.split(',')) {
    const interval = intervalOf(fragment, completions);
    if (typeof interval === 'string') return interval;
    const [first, end] = interval;
    if (last >= first) return `non-increasing order, previous: ${last}, current: ${first}`;
    total += end - first + 1;
    last = end;
  }
  return total;
}

function intervalOf(fragment: string, completions: number): readonly [number, number] | string {
  const limits = fragment.split('-');
  if (limits.length > 2) {
    return `the fragment ${JSON.stringify(fragment)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const wrong = limits
    .map((limit) => complaintOf(limit, completions))
    .find((each) => each !== undefined);
  if (wrong !== undefined) return wrong;
  const [first = 0, end = first] = limits.map(Number);
  const isIncreasing = limits.length === 1 || first < end;
  return isIncreasing ? [first, end] : `non-increasing order, previous: ${first}, current: ${end}`;
}

function complaintOf(limit: string, completions: number): string | undefined {
  if (!/^\+?\d+$/.test(limit)) {
    return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
  }
  return Number(limit) >= completions ? `too large index: ${JSON.stringify(limit)}` : undefined;
}
