type Mend = readonly [found: string, instead: string];

/**
 * Types that every server has under these numbers, and those of their arrays. Each session would ask for them before its
 * first statement: a round trip and a hundred rows.
 */
export const arrayTypes: Readonly<Record<string, readonly [of: number, array: number]>> = {
  ...{ bool: [16, 1000], bytea: [17, 1001], name: [19, 1003], int8: [20, 1016], int2: [21, 1005] },
  ...{ int4: [23, 1007], text: [25, 1009], oid: [26, 1028], xid: [28, 1011], json: [114, 199] },
  ...{ float4: [700, 1021], float8: [701, 1022], varchar: [1043, 1015], date: [1082, 1182] },
  ...{ timestamp: [1114, 1115], timestamptz: [1184, 1185], numeric: [1700, 1231] },
  ...{ uuid: [2950, 2951], jsonb: [3802, 3807], xid8: [5069, 271] },
};

/**
 * What postgres.js 3.4.9 does when a connection is lost, and must not (its issues 1154 and 1208, unanswered, have the first):
 * - it goes on to write to the socket that is gone, from a callback where nothing can catch it: the process dies;
 *   a cursor goes on in somebody else's session;
 * - with bytes unsent, the connection never sends anything again, the next login included;
 * - lost while it asks, at a login, for the types of arrays or for a standby's state, it rejects a promise that nobody
 *   holds: the process dies;
 * - what was under way or waiting, and the error that the server said last, are left over: the next statement on that
 *   connection gets the error of another one, or waits for an answer to something that was never sent;
 * - lost during a login, it logs in again without a pause, for ever; of several hosts also where none can be reached;
 * - ended while it waits to log in, it logs in all the same and stays: the process does not end.
 * - where no host is of the wanted kind, it says that the connection was destroyed;
 * - of several hosts one that hangs, or is starting up, keeps it from the next one.
 * - of a login that took too long it says neither host nor port, and of a server without TLS that the connection was lost.
 * And on any connection:
 * - where a statement fails after its first rows, the next result begins with as many holes;
 * - a BEGIN that fills the pipeline, or the socket, starts no transaction: the process dies;
 * - a session that takes no writes is kept for 45 minutes, also when new ones would take them again;
 * - while it is idle it holds what its last transaction has answered: with ten of them, ten pages;
 * - a parameter that cannot be sent fails the statement before it, and its own one hangs, with all that come after.
 * Each place has to be found: another version is looked at again by a person.
 */
const ofConnection: readonly Mend[] = [
  // Statements of one turn go out in one write, long ones as well: each write is a call of the kernel, and wakes the server.
  ['chunk.length >= 1024', 'chunk.length >= 65536'],
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
    "clearImmediate(nextWriteTimer)\n    socket.removeListener('data', data)",
    "clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket.removeListener('data', data)",
  ],
  [
    'errorResponse = Errors.postgres(parseError(x))',
    "errorResponse = Errors.postgres(parseError(x))\n      errorResponse.code === '25006' && end()",
  ],
  ['connection.reserved = null, onopen', 'connection.reserved = connection.onclose = null, onopen'],
  [
    'result = new Result()\n    connectTimer',
    'result = new Result()\n    rows = 0\n    connectTimer',
  ],
  [
    `return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))`,
    `q.options.onexecute && q.options.onexecute(connection)
      return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && !q.options.onexecute`,
  ],
  [
    'catch (error) {\n      sent.length === 0',
    `catch (error) {
      if (q !== query) {
        sent.remove(q)
        queryError(q, error)
        return true
      }
      sent.length === 0`,
  ],
  [
    'async function PortalSuspended() {\n    try {\n      const x = await Promise.resolve(query.cursorFn(result))\n',
    `async function PortalSuspended() {
    const asked = query
    try {
      const x = await Promise.resolve(query.cursorFn(result))
      if (query !== asked)
        return
`,
  ],
  [
    'catch (err) {\n      write(Sync)\n',
    'catch (err) {\n      if (query !== asked)\n        return\n      write(Sync)\n',
  ],
  [
    "errored(Errors.connection('CONNECT_TIMEOUT', options, socket))",
    "error(Errors.connection('CONNECT_TIMEOUT', options))",
  ],
  [
    '} else {\n      errored(Errors.postgres(parseError(x)))\n    }',
    `} else {
      const cause = Errors.postgres(parseError(x))
      cause.code === '57P03' ? error(cause) : errored(cause)
    }`,
  ],
  [
    "if (!canSSL && ssl === 'prefer')\n        return connected()\n",
    `if (!canSSL && ssl === 'prefer')
        return connected()
      if (!canSSL) {
        errored(Errors.connection('TLS_REFUSED', { host, port }))
        return socket.destroy()
      }
`,
  ],
  [
    'const connection = {\n',
    `;${JSON.stringify(Object.values(arrayTypes))}.forEach(each => addArrayType(...each))\n  const connection = {\n`,
  ],
  ['setTimeout(connect, ', 'setTimeout(() => terminated && !initial || connect(), '],
  [
    'return fetchArrayTypes()',
    'return fetchArrayTypes().catch(cause => { error(cause); socket && socket.destroy() })',
  ],
  [
    `if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))`,
    `const isNext = initial && options.host[retries + 1]
    isNext || error(Errors.connection('CONNECTION_CLOSED', options))
    retries = isNext ? retries + 1 : 0
    query = results = errorResponse = null
    result = new Result()
    rows = 0
    if (isNext)
      return reconnect()
`,
  ],
  [
    'query.execute()\n  }\n',
    'query.catch(cause => { error(cause); socket && socket.destroy() })\n  }\n',
  ],
  [
    `else if (tryNext(target_session_attrs, backendParameters))
          return terminate()`,
    `else if (tryNext(target_session_attrs, backendParameters)) {
          const all = host.map((each, at) => each + ':' + port[at]).join(', ')
          const none = 'of ' + all + ' none that answers is a primary'
          options.host[retries + 1] || errored(Object.assign(new Error(none), { code: 'NO_PRIMARY' }))
          return socket.end(b().X().end())
        }`,
  ],
];

/**
 * A transaction whose connection is lost goes on to use it, its rollback at least, while the pool connects it again for
 * somebody else: into his login, or into his transaction. From then on each statement there gets the answer to another one,
 * or none. And what is asked of it after its end goes out all the same, behind that: outside of any transaction, for good.
 */
const ofPool: readonly Mend[] = [
  [
    ', prepare = null\n',
    `, prepare = null
      , lost = null
      , end = null
      , isOver = false

    const lose = cause => {
      lost = cause
      while (queries.length)
        queries.shift().reject(cause)
    }
`,
  ],
  [
    'connection.onclose = reject)',
    `{
          const gone = cause => (lose(cause), reject(cause))
          connection.onclose = gone
        })`,
  ],
  // What is assigned to a property by its text V8 keeps in the old heap, with all that it can see; so below.
  [
    'c.reserved = () => queries.length\n        ? c.execute(queries.shift())\n        : move(c, reserved)\n',
    `const next = () => queries.length
        ? c.execute(queries.shift())
        : move(c, reserved)
      c.reserved = next
`,
  ],
  [
    'sql.prepare = x => prepare = x.replace(/[^a-z0-9$-_. ]/gi)',
    'const preparing = x => prepare = x.replace(/[^a-z0-9$-_. ]/gi)\n      sql.prepare = preparing',
  ],
  [': sql`rollback`\n', ': (end = sql`rollback`)\n'],
  [': await sql`commit`\n', ': await (end = sql`commit`)\n'],
  [
    'q.catch(e => uncaughtError || (uncaughtError = e))\n',
    "q.catch(e => uncaughtError || (uncaughtError = e))\n        if (lost || isOver)\n          return q.reject(lost || Errors.generic('TRANSACTION_OVER', 'the transaction is over'))\n        isOver = q === end\n",
  ],
];

/**
 * Where a statement stands in the sources is remembered by an error, whose frames hold what ran there first until they
 * are made a text: of a list, its first page. And each statement, with its parameters and its answer, lasted until the whole
 * heap was looked through: 1.6 KB of the least, and all of a batch.
 */
const ofStatement: readonly Mend[] = [
  [
    `this.resolve = x => (this.active = false, resolve(x))
    this.reject = x => (this.active = false, reject(x))

    this.active`,
    `const settle = x => (this.active = false, resolve(x))
    const fail = x => (this.active = false, reject(x))
    this.resolve = settle
    this.reject = fail

    this.active`,
  ],
  ['originCache.set(xs, new Error())', 'originCache.set(xs, { stack: new Error().stack })'],
];

/** One for each transaction, and its getter would hold it in the old heap. */
const ofQueue: readonly Mend[] = [
  [
    'function Queue(',
    'const counted = { get length() { return this.count() } }\n\nfunction Queue(',
  ],
  [
    'get length() {\n      return xs.length - index\n    },',
    '__proto__: counted,\n    count: () => xs.length - index,',
  ],
];

const mends: Readonly<Record<string, readonly Mend[]>> = {
  'query.js': ofStatement,
  'connection.js': ofConnection,
  'index.js': ofPool,
  'queue.js': ofQueue,
};

export function mended(path: string, text: string): string {
  const [, name = ''] = /\/(?:postgres|cjs)\/src\/([a-z]+\.js)$/.exec(path) ?? [];
  return (mends[name] ?? []).reduce((soFar, [found, instead]) => {
    if (soFar.split(found).length !== 2)
      throw new Error(`postgres.js is another one: no "${found}"`);
    return soFar.replace(found, () => instead);
  }, text);
}
