/** Of a millisecond: as exact as anybody reads it. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
