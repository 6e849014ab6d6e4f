/**
 * During a roll-out the version before runs on the new schema, so a migration only adds. Named here is what cannot break
 * a statement of the version before; of all else, some could: a column that it reads, a value that it does not write.
 */
export function breakingStatements(statements: readonly string[]): readonly string[] {
  const bare = statements.map((statement) => ({ statement, said: withoutText(statement) }));
  const made = new Set(bare.flatMap(({ said }) => /^CREATE TABLE (\S+)/i.exec(said)?.[1] ?? []));
  return bare.flatMap(({ statement, said }) => (adds(said, made) ? [] : [statement]));
}

/** Comments and literals can say anything; names are left as they are, without their quotes. */
function withoutText(statement: string): string {
  return statement
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/--.*$/gm, ' ')
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/\bIF NOT EXISTS\b/gi, ' ')
    .replaceAll('"', '')
    .replace(/\s+/g, ' ')
    .replace(/;$/, '')
    .trim();
}

/** Several statements in one could hide the second. */
function adds(said: string, made: ReadonlySet<string>): boolean {
  if (said === '') return true;
  if (said.includes(';')) return false;
  if (/^CREATE (TABLE|INDEX|SEQUENCE|SCHEMA|TYPE)\b/i.test(said)) return true;
  const [, table] =
    /^(?:ALTER TABLE (?:ONLY )?|CREATE UNIQUE INDEX \S+ ON )(\S+)/i.exec(said) ?? [];
  if (table === undefined) return false;
  return made.has(table) || isHarmless(said.replace(/^ALTER TABLE (ONLY )?\S+ /i, ''));
}

/** To a table that was there before: how it is stored, and a column that need not be written. */
function isHarmless(action: string): boolean {
  if (/^SET \([^()]*\)$/i.test(action)) return true;
  if (!/^ADD COLUMN [^,]*$/i.test(action.replace(/\([^()]*\)/g, ''))) return false;
  if (/\b(UNIQUE|PRIMARY KEY|REFERENCES|CHECK)\b/i.test(action)) return false;
  return !/\bNOT NULL\b/i.test(action) || /\b(DEFAULT|GENERATED)\b/i.test(action);
}
