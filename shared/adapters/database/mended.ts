/**
 * What postgres.js 3.4.9 does when a connection is lost, and must not (its issues 1154 and 1208, unanswered, have the first):
 * - in a transaction it goes on to write to the socket that is gone, from a callback where nothing can catch it:
 *   the process dies;
 * - with bytes unsent, the connection never sends anything again, the next login included;
 * - lost while it asks for the types of arrays, at a login, it rejects a promise that nobody holds: the process dies;
 * - the error that the server said last is thrown at the next statement on that connection, which has nothing to do with it.
 * Each place has to be found: another version is looked at again by a person.
 */
const mends: readonly (readonly [found: string, instead: string])[] = [
  [
    'const x = socket.write(chunk, fn)',
    `if (socket === null) {
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options))
      query = null
      return false
    }
    const x = socket.write(chunk, fn)`,
  ],
  [
    'clearImmediate(nextWriteTimer)\n    if (socket) {',
    'clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    if (socket) {',
  ],
  [
    "clearImmediate(nextWriteTimer)\n    socket.removeListener('data', data)",
    "clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket.removeListener('data', data)",
  ],
  [
    'return fetchArrayTypes()',
    'return fetchArrayTypes().catch(cause => { error(cause); socket && socket.destroy() })',
  ],
  [
    'closedTime = performance.now()\n',
    'closedTime = performance.now()\n    query = results = errorResponse = null\n    result = new Result()\n',
  ],
];

export function mended(path: string, text: string): string {
  if (!path.endsWith('/postgres/src/connection.js') && !path.endsWith('/cjs/src/connection.js')) {
    return text;
  }
  return mends.reduce((soFar, [found, instead]) => {
    if (soFar.split(found).length !== 2)
      throw new Error(`postgres.js is another one: no "${found}"`);
    return soFar.replace(found, () => instead);
  }, text);
}
