const longest = 60;

/** Seconds or a date; a server that asks for an hour is asked again in a minute. */
export function secondsUntilRetry(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header.trim())
    ? Number(header)
    : Math.ceil((Date.parse(header) - now) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(longest, Math.max(0, seconds));
}
