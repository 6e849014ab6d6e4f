/** A failure on purpose: any other is a bug of the code that runs here. */
export function outage(what: string): Error {
  return Object.assign(new Error(what), { name: 'Outage' });
}

/** What the models say of a connection that is gone is on purpose as well. */
export function isOutage(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  return (
    cause.name === 'Outage' || /connection to the database|transaction is over/.test(cause.message)
  );
}
