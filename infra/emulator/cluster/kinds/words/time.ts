/** To the second, as the API writes times. */
export function timestamp(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z');
}
